/** A buyer whose endpoints have names that DNS tells of slowly, or never: nobody else's messages wait for them. */
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { type HttpsSink, startHttpsSink } from '../support/https-sink.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { listenAnywhere } from '../support/ports.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { answerTimeDuring, median, memoryOf, namesFrom, newBuyer } from './attacked.ts';

const RECEIVER = 'buyer.example';
const ENDPOINTS = 20;
/** Twice as many messages as can be on their way at once. */
const ATTACKS = 26;
const TRIALS = 12;
const SLOW_ANSWER_MS = 1_200;
const MAX_ANSWER_MS = 100;
const MAX_GROWTH_BYTES = 64 * 1_024 * 1_024;
/** What is not noticed as slow, so that a pause of this machine is no failure: it was 14 seconds. */
const SOON_MS = 500;
/** To stop took more than a minute; what is under way has a second, and a busy machine some more. */
const MAX_STOP_MS = 20_000;

describe('An attacker with endpoints of slow names', function () {
  this.timeout(180_000);
  let folder: TempFolder;
  let program: Program;
  let names: NameServer;
  let silent: Server;
  let sink: HttpsSink;
  let life: Life | undefined;
  before(async () => {
    folder = await tempFolder();
    program = await buildProgram({ notifiesThisMachine: true });
    names = await startNameServer(paceOf);
    // Whoever speaks to it may go away at any moment.
    silent = createServer((socket) => void socket.on('error', () => {}));
    sink = await startHttpsSink(() => 0, RECEIVER);
  });
  after(async () => {
    await life?.kill();
    await names.close();
    silent.close();
    await sink.close();
    await program.remove();
    await folder.remove();
  });

  it('delays no notification of others, holds up nothing, and ends with the process', async () => {
    const settings = {
      DATA_DIR: folder.path,
      LOG_LEVEL: 'error',
      ...namesFrom(names.address),
      ...sink.env,
    };
    await program.run(settings, ['seed']);
    life = program.start(settings);
    const url = await life.url;
    const buyer = async (account: string) => {
      const ask = await newBuyer(program, settings, url, account);
      return async (path: string, body: object): Promise<string> => {
        const { status, id = '' } = await ask('POST', path, body);
        expect(status).to.equal(201);
        return id;
      };
    };
    const [attack, other] = [await buyer('attacker'), await buyer('other')];
    const trial = { agent: 'invoice-matcher', brief: 'Match.' };
    await other('/v1/webhook-endpoints', { url: `https://${RECEIVER}:${sink.port}/` });
    /** From the answer to a trial until its owner is told of it. */
    const tellingTime = async (): Promise<number> => {
      const jobId = await other('/v1/trials', trial);
      const startedMs = performance.now();
      await until('it is told', () => sink.received.some(({ body }) => body.includes(jobId)), 60_000);
      return performance.now() - startedMs;
    };
    const tellingTimes = async (): Promise<number> => {
      const times: number[] = [];
      for (let count = 0; count < TRIALS; count += 1) times.push(await tellingTime());
      return median(times);
    };
    await tellingTime();
    const before = { memory: await memoryOf(life.pid), tellingMs: await tellingTimes() };

    const port = await listenAnywhere(silent);
    for (let count = 0; count < ENDPOINTS; count += 1)
      await attack('/v1/webhook-endpoints', { url: `https://slow-${count}.example:${port}/` });
    for (let count = 0; count < ATTACKS; count += 1) await attack('/v1/trials', trial);
    await until('its names are looked up', () => names.asked.size >= ENDPOINTS / 2);
    let tellingMs = 0;
    const answerMs = await answerTimeDuring({ url: `${url}/healthz`, pid: life.pid }, async () => {
      const attacking = (async () => {
        for (let count = 0; count < ATTACKS; count += 1) await attack('/v1/trials', trial);
      })();
      tellingMs = await tellingTimes();
      await attacking;
    });

    expect(tellingMs, `${before.tellingMs} ms without`).to.be.below(2 * Math.max(before.tellingMs, SOON_MS));
    expect(answerMs).to.be.below(MAX_ANSWER_MS);
    expect((await memoryOf(life.pid)) - before.memory).to.be.below(MAX_GROWTH_BYTES);
    const stoppedMs = performance.now();
    expect(await life.stop()).to.equal(0);
    expect(performance.now() - stoppedMs).to.be.below(MAX_STOP_MS);
  });
});

/** Of the attacker's names one half is told slowly, to a server that says nothing; of the other nobody ever tells. */
function paceOf(name: string): number {
  const [, number] = /^slow-(\d+)\./.exec(name) ?? [];
  if (number === undefined) return 0;
  return Number(number) % 2 === 0 ? Infinity : SLOW_ANSWER_MS;
}
