/** What somebody with one key of the Data API can do: dear searches, files that it does not read, more than its plan has. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { answerTime, answerTimeDuring, expectUndisturbed, measured, memoryOf } from './attacked.ts';

const ROWS = 50_000;
const MAX_ANSWER_MS = 100;
const MAX_GROWTH_BYTES = 64 * 1_024 * 1_024;
const ATTACK_MS = 2_000;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
/** Each goes through all letters. */
const STEPS = [1, 3, 5, 7, 9, 11, 15, 17, 19, 21, 23, 25];
const DIGITS = ['', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

describe('An attacker with a plan', function () {
  this.timeout(180_000);
  let program: Program;
  let folder: TempFolder;
  let settings: Settings;
  let life: Life | undefined;
  let url: string;
  let pid: number;
  const sockets = new Set<Socket>();
  before(async () => {
    program = await buildProgram();
    folder = await tempFolder();
    settings = { DATA_DIR: folder.file('data'), LOG_LEVEL: 'error', ...measured() };
    await program.run(settings, ['seed']);
    const rows = folder.file('rows.jsonl');
    await writeFile(rows, Array.from({ length: ROWS }, (_, i) => `${JSON.stringify(rowOf(i))}\n`).join(''));
    await program.run(settings, ['import', rows, '--dataset', 'tools']);
    life = program.start(settings);
    ({ pid } = life);
    url = await life.url;
    for (let count = 0; count < 20; count += 1) await answerTime({ url: `${url}/healthz`, pid });
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  });
  after(async () => {
    await life?.kill();
    await program.remove();
    await folder.remove();
  });

  /** Of an account of its own. */
  async function newKey(account: string, plan: string): Promise<string> {
    const wanted = ['--account', account, '--name', 'test', '--scopes', 'data:read', '--json'];
    const { key } = JSON.parse(await program.run(settings, ['key', 'create', ...wanted]));
    await program.run(settings, ['plan', 'set', account, plan]);
    await until('its plan is known', async () => (await ask('/api/v1/usage', key)).status === 200);
    return key;
  }

  const ask = (path: string, key: string): Promise<Response> =>
    fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });

  const callTool = (key: string, name: string, args: object): Promise<Response> =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });

  /** So many callers, each of which asks the next thing once it was answered; the statuses of all that was answered. */
  async function askOnAndOn(callers: number, next: () => Promise<Response>): Promise<readonly number[]> {
    const statuses: number[] = [];
    const end = performance.now() + ATTACK_MS;
    const caller = async (): Promise<void> => {
      while (performance.now() < end) {
        const answer = await next();
        await answer.arrayBuffer();
        if (!isPutOff(answer)) statuses.push(answer.status);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return statuses;
  }

  async function sendUnread(count: number, path: string, key: string): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
      sockets.add(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    }
    await pause(ATTACK_MS);
  }

  for (const [words, status] of [
    [16, 200],
    [60, 400],
  ] as const)
    it(`holds up nobody by searches for ${words} words, each the beginning of many`, async () => {
      const key = await newKey(`searching-${words}`, 'enterprise');
      let asked = 0;
      const next = (): Promise<Response> => {
        asked += 1;
        const beginnings = Array.from({ length: words }, (_, i) => beginningOf(asked * 7 + i * 3));
        return ask(`/api/v1/tools?q=${beginnings.join('+')}`, key);
      };
      let statuses: readonly number[] = [];
      const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, async () => {
        statuses = await askOnAndOn(4, next);
      });
      expect(new Set(statuses)).to.deep.equal(new Set([status]));
      expect(took).to.be.below(MAX_ANSWER_MS);
    });

  const ways: Readonly<Record<string, (key: string, words: string, limit: number) => Promise<Response>>> = {
    REST: (key, words, limit) => ask(`/api/v1/tools?q=${words}&limit=${limit}`, key),
    MCP: (key, words, limit) => callTool(key, 'search_tools', { q: words.replaceAll('+', ' '), limit }),
  };
  for (const [way, search] of Object.entries(ways))
    it(`holds up nobody by searches over ${way} that take long, 64 of them at once and again`, async () => {
      const key = await newKey(`searching-by-${way.toLowerCase()}`, 'enterprise');
      const other = await newKey(`listing-beside-${way.toLowerCase()}`, 'enterprise');
      let asked = 0;
      const next = (): Promise<Response> => search(key, dearWords((asked += 1)), 1 + (asked % 100));
      await expectUndisturbed({ url: `${url}/api/v1/tools`, pid, key: other }, async () => {
        const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, async () => {
          expect(new Set(await askOnAndOn(64, next))).to.deep.equal(new Set([200]));
        });
        expect(took).to.be.below(MAX_ANSWER_MS);
      });
    });

  for (const path of ['/api/v1/export/tools.csv', '/api/v1/tools?limit=100', '/api/v1/changes?limit=100'])
    it(`cannot fill the memory with answers of ${path} that it does not read`, async () => {
      const key = await newKey(`unread-${path.length}`, 'enterprise');
      // Made and kept before anybody measures.
      expect((await (await ask(path, key)).arrayBuffer()).byteLength).to.be.above(10_000);
      const before = await memoryOf(pid);
      const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, () => sendUnread(100, path, key));
      expect((await memoryOf(pid)) - before).to.be.below(MAX_GROWTH_BYTES);
      expect(took).to.be.below(MAX_ANSWER_MS);
    });

  it('with a hundred searches under way is not answered before another account', async () => {
    const [key, other] = [await newKey('crowding', 'enterprise'), await newKey('alone', 'enterprise')];
    let answered = 0;
    let hasBegun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (hasBegun = resolve));
    const crowd = Array.from({ length: 100 }, async (_, i) => {
      const answer = await ask(`/api/v1/tools?q=${dearWords(i)}`, key);
      if (isPutOff(answer)) return;
      expect(answer.status).to.equal(200);
      answered += 1;
      hasBegun();
    });
    const all = Promise.allSettled(crowd);
    await isBegun;
    const before = answered;
    expect((await ask('/api/v1/tools?q=row+1', other)).status).to.equal(200);
    expect(answered - before).to.be.below(50);
    expect((await all).filter(({ status }) => status === 'rejected')).to.deep.equal([]);
  });

  it('holds up nobody by asking for more than its plan has', async () => {
    const key = await newKey('flooding', 'starter');
    const other = await newKey('other', 'enterprise');
    let statuses: readonly number[] = [];
    await expectUndisturbed({ url: `${url}/api/v1/tools`, pid, key: other }, async () => {
      statuses = await askOnAndOn(8, () => ask('/api/v1/tools', key));
    });
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf.at.most(60);
    expect(statuses.at(-1)).to.equal(429);
  });
});

/** A search that could not begin in the time of its request is not begun: whoever asked is told when to ask again. */
function isPutOff({ status, headers }: Response): boolean {
  if (status !== 503) return false;
  expect(Number(headers.get('Retry-After'))).to.be.above(0);
  return true;
}

/** Each letter begins a word of nearly every row, and many words begin with it. */
function rowOf(i: number): object {
  const words = LETTERS.map((letter, at) => `${letter}${((i + at) * 7_919) % 997}`);
  return { id: `row-${i}`, name: `Row ${i}`, category: 'Rows', description: words.join(' ') };
}

/** Every row has a word that begins with each of them. In another order they are another search. */
function dearWords(i: number): string {
  const step = STEPS[Math.floor(i / LETTERS.length) % STEPS.length] ?? 1;
  return Array.from({ length: 16 }, (_, at) => LETTERS[(i + at * step) % LETTERS.length]).join('+');
}

function beginningOf(i: number): string {
  return `${LETTERS[i % LETTERS.length]}${DIGITS[(i >> 3) % DIGITS.length]}`;
}
