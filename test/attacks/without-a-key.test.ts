/** What somebody without a key can do to a server: N unread answers, N large bodies, N connections. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import {
  answerTime,
  answerTimeDuring,
  expectUndisturbed,
  measured,
  memoryOf,
  newBuyerKey,
} from './attacked.ts';

const MEBIBYTE = 1_024 * 1_024;
/** What memory may grow by under any of these attacks. */
const MAX_GROWTH_BYTES = 64 * MEBIBYTE;
const MAX_ANSWER_MS = 100;
const TRIAL = { agent: 'invoice-matcher', brief: 'Match.' };

describe('An attacker without a key', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let program: Program;
  let life: Life | undefined;
  const sockets = new Set<Socket>();

  let key: string;

  before(async () => {
    folder = await tempFolder();
    program = await buildProgram();
    const settings = { DATA_DIR: folder.path };
    await program.run(settings, ['seed']);
    key = await newBuyerKey(program, settings, 'other');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await life?.kill();
  });
  after(async () => {
    await program.remove();
    await folder.remove();
  });

  /** A server that has answered, so that what it loads at first use is loaded. */
  const attacked = async (settings: Settings = {}): Promise<{ url: string; pid: number }> => {
    life = program.start({ DATA_DIR: folder.path, LOG_LEVEL: 'error', ...measured(), ...settings });
    const url = await life.url;
    const { pid } = life;
    await fetch(`${url}/mcp`, post(rpc(1)));
    for (let count = 0; count < 20; count += 1) await answerTime({ url: `${url}/healthz`, pid });
    return { url, pid };
  };

  const open = async (url: string): Promise<Socket> => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    sockets.add(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket.pause();
  };

  /** So many connections that send the same and read nothing. */
  const sendUnread = async (url: string, count: number, text: string): Promise<void> => {
    const all = await Promise.all(Array.from({ length: count }, () => open(url)));
    for (const socket of all) socket.write(text);
    await pause(2_000);
  };

  /** So many callers that send large bodies one after another. */
  const sendLarge = async (url: string, path: string): Promise<void> => {
    const body = `{"attributes":{"a":[${Array.from({ length: 28_000 }, () => '[[[[]]]]').join(',')}]}}`;
    const attack = async (): Promise<void> => {
      const end = performance.now() + 2_000;
      while (performance.now() < end) await (await fetch(url + path, post(body))).text();
    };
    await Promise.all(Array.from({ length: 16 }, attack));
  };

  const attacks: Readonly<Record<string, (url: string) => Promise<void>>> = {
    'answers that it does not read': (url) => sendUnread(url, 60, raw('/mcp', rpc(100))),
    'large bodies for a webhook': (url) => sendLarge(url, '/webhooks/record-created/x'),
    'large bodies for MCP': (url) => sendLarge(url, '/mcp'),
  };
  for (const [what, attack] of Object.entries(attacks))
    it(`holds up no trial of somebody else by ${what}`, async () => {
      const { url, pid } = await attacked({ PUBLIC_RATE_LIMIT: '120' });
      const trial = { pid, url: `${url}/v1/trials`, order: { key, body: TRIAL } };
      await until('the key is known', async () => (await askAs(key, `${url}/v1/mandate`)) !== 401);
      await expectUndisturbed(trial, () => attack(url));
    });

  it('cannot fill the memory with answers that it does not read', async () => {
    const { url, pid } = await attacked();
    const before = await memoryOf(pid);
    const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, () =>
      sendUnread(url, 60, raw('/mcp', rpc(100))),
    );
    expect((await memoryOf(pid)) - before).to.be.below(MAX_GROWTH_BYTES);
    expect(took).to.be.below(MAX_ANSWER_MS);
  });

  for (const path of ['/mcp', '/nothing-here', '/healthz'])
    it(`nor with bodies that it sends byte by byte, whether they are read: ${path}`, async () => {
      const { url, pid } = await attacked();
      const before = await memoryOf(pid);
      // Somebody else is answered to the end.
      await answerTimeDuring({ url: `${url}/healthz`, pid }, () =>
        sendUnread(url, 100, inChunks(path, 20_000)),
      );
      expect((await memoryOf(pid)) - before).to.be.below(MAX_GROWTH_BYTES);
    });

  it('nor from as many addresses as it likes', async () => {
    const settings = { PUBLIC_RATE_LIMIT: '1000000' };
    const { url, pid } = await attacked(settings);
    const before = await memoryOf(pid);
    await sendUnread(url, 100, raw('/mcp', rpc(100)).repeat(10));
    expect(await answerTime({ url: `${url}/healthz`, pid })).to.be.a('number');
    expect((await memoryOf(pid)) - before).to.be.below(2 * MAX_GROWTH_BYTES);
  });

  it('nor with requests that it sends all at once', async () => {
    const { url, pid } = await attacked();
    const before = await memoryOf(pid);
    const requests = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000);
    // Somebody else is answered to the end.
    await answerTimeDuring({ url: `${url}/healthz`, pid }, () => sendUnread(url, 100, requests));
    expect((await memoryOf(pid)) - before).to.be.below(MAX_GROWTH_BYTES);
  });

  for (const what of ['the largest script', '/openapi.json'])
    it(`nor keep it busy with what it asks for again and again: ${what}`, async () => {
      const { url, pid } = await attacked();
      const path = what.startsWith('/') ? what : await largestScript(url);
      // Made by who asks first.
      expect((await fetch(url + path)).status).to.equal(200);
      const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, async () => {
        const again = `GET ${path} HTTP/1.1\r\nHost: a\r\nIf-None-Match: *\r\n\r\n`;
        const anew = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
        await Promise.all([sendUnread(url, 8, again.repeat(900)), sendUnread(url, 2, anew.repeat(900))]);
      });
      expect(took).to.be.below(MAX_ANSWER_MS / 2);
    });

  for (const [path, limit] of [
    ['/webhooks/record-created/x', '120'],
    ['/mcp', '120'],
  ] as const) {
    it(`cannot keep it busy with large bodies for ${path}`, async () => {
      const { url, pid } = await attacked({ PUBLIC_RATE_LIMIT: limit });
      const before = await memoryOf(pid);
      const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, () => sendLarge(url, path));
      expect(took).to.be.below(MAX_ANSWER_MS);
      expect((await memoryOf(pid)) - before).to.be.below(MAX_GROWTH_BYTES);
    });
  }

  it('cannot stop it with a cursor of its own making', async () => {
    const { url } = await attacked();
    const asked = `${url}/v1/agents?q=a&limit=1`;
    // As a client has it: what it gives is opaque, and of this form.
    const page = (await (await fetch(asked)).json()) as { meta: { nextCursor: string } };
    const [mark, , ...place] = JSON.parse(Buffer.from(page.meta.nextCursor, 'base64url').toString());
    for (const band of [-9e15, 9e15, 3, 0.5, null, 'x']) {
      const cursor = Buffer.from(JSON.stringify([mark, band, ...place])).toString('base64url');
      const { status } = await fetch(`${asked}&cursor=${cursor}`, { signal: AbortSignal.timeout(10_000) });
      expect(status, `${band}`).to.equal(400);
    }
  });

  it('cannot take every connection', async () => {
    const { url, pid } = await attacked({ MAX_CONNECTIONS_PER_ADDRESS: '50' });
    const all = await Promise.all(Array.from({ length: 80 }, () => open(url)));
    const isOpen = ({ closed }: Socket): boolean => !closed;
    for (const socket of all) socket.resume();
    let left = all.length;
    await until('what was one too many is closed', () => (left = all.filter(isOpen).length) <= 50);
    // Looked at now: those that go on to say nothing are closed too, after a while.
    expect(left).to.be.at.least(45);
    expect(await answerTime({ url: `${url}/healthz`, pid })).to.be.a('number');
  });

  it('is told to wait when its tokens and keys are not valid', async () => {
    const { url } = await attacked();
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) {
      const answer = await fetch(`${url}/webhooks/record-created/x`, post('{}'));
      statuses.push(answer.status);
    }
    expect(statuses.filter((status) => status === 404)).to.have.lengthOf(30);
    expect(statuses.slice(30)).to.deep.equal([429, 429]);
  });
});

async function askAs(key: string, url: string): Promise<number> {
  return (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status;
}

async function largestScript(url: string): Promise<string> {
  const page = await (await fetch(`${url}/docs`)).text();
  return /\/assets\/swagger-ui-[\d.]+\.js/.exec(page)?.[0] ?? 'not found';
}

function rpc(count: number): string {
  const one = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  return JSON.stringify(count === 1 ? one : Array.from({ length: count }, () => one));
}

function post(body: string): RequestInit {
  return { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
}

function raw(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Its beginning: a body that goes on after so many chunks of one byte. */
function inChunks(path: string, count: number): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return head + '1\r\n \r\n'.repeat(count);
}
