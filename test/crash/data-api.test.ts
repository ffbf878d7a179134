/**
 * Servers that are killed while they take in an import, hand out an export or count requests. What came of an upload is
 * there whole or is finished by the next one, a file that broke off passes for no whole one, and a request that was
 * answered stays counted or given back, once. A few rounds by default;
 * BOURSE_CRASH_ROUNDS asks for more.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { changePlan } from '../../src/operations/plans/change-plan.ts';
import { buildProgram, type Program } from '../support/built-program.ts';
import { inMarket } from '../support/own-market.ts';
import { terms } from '../support/sample-mandate.ts';
import type { Settings } from '../support/served-market.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const ROUNDS = Number(process.env['BOURSE_CRASH_ROUNDS'] ?? 4);
const ROWS = 8_000;
/** More in all than sockets hold. */
const ROW_CHARS = 2_000;
const LONGEST_MS = 1_500;
const LONGEST_MAKING_MS = 800;
const IN_FLIGHT = 8;
const MOST_ANSWERS = 60;

const rowsOf = (round: number): string =>
  Array.from({ length: ROWS }, (_, n) =>
    JSON.stringify({ id: `row-${n}`, name: `Row ${n}`, round, text: 'x'.repeat(ROW_CHARS) }),
  ).join('\n');

describe(`Servers of the Data API that are killed ${ROUNDS} times`, function () {
  this.timeout(240_000 + ROUNDS * 60_000);
  let program: Program;
  let folder: TempFolder;
  let settings: Settings;
  let key: string;
  before(async () => {
    program = await buildProgram();
    folder = await tempFolder();
    settings = { DATA_DIR: folder.file('data') };
    key = await inMarket(settings, async ({ services }) => {
      const cause = { at: new Date().toISOString(), actor: 'cli', requestId: 'crash' };
      const made = await createKey(
        services,
        {
          account: 'data-user',
          name: 'All',
          scopes: ['data:read', 'operator:write'],
          agency: null,
          terms: terms({}),
        },
        cause,
      );
      if (!made.ok) throw new Error(made.refusal.message);
      await services.projector.caughtUp();
      const choose = { type: 'ChoosePlan', plan: 'enterprise' } as const;
      const changed = await changePlan(services, 'data-user', choose, { ...cause, commandId: randomUUID() });
      if (!changed.ok) throw new Error(changed.refusal.message);
      return made.created.key;
    });
  });
  after(async () => {
    await program.remove();
    await folder.remove();
  });

  const headers = () => ({ Authorization: `Bearer ${key}` });
  const upload = (url: string, round: number, signal?: AbortSignal) =>
    fetch(`${url}/v1/operator/imports?dataset=tools&complete=true`, {
      method: 'POST',
      headers: { ...headers(), 'Content-Type': 'application/x-ndjson', 'Idempotency-Key': `round-${round}` },
      body: rowsOf(round),
      ...(signal && { signal }),
    });
  const known = () =>
    inMarket(settings, async ({ services }) => {
      const { rows, underWay } = await readKnownRows(services.events, 'tools');
      return { size: rows.size, underWay };
    });

  it('have nothing half of an upload that the next one does not finish', async () => {
    let cut = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const life = program.start(settings);
      const url = await life.url;
      const killed = new AbortController();
      const answer = upload(url, round, killed.signal).then(
        ({ status }) => status,
        () => null,
      );
      // The first at once, so that one is cut for certain.
      await delay(round === 0 ? 0 : Math.random() * LONGEST_MS);
      await life.kill();
      // A fetch whose server dies while it connects may wait for ever: nothing comes any more.
      killed.abort();
      if ((await answer) === null) cut += 1;
    }
    const last = program.start(settings);
    const url = await last.url;
    // The same request again, under its own key: it was done, or is done now.
    const again = await upload(url, ROUNDS - 1);
    expect(again.status, await again.clone().text()).to.be.oneOf([200, 409]);
    const final = await upload(url, ROUNDS);
    expect(final.status, await final.clone().text()).to.equal(200);
    const { data } = (await final.json()) as { data: { counts: Record<string, number> } };
    expect(data.counts).to.include({ refused: 0, retired: 0 });
    expect(await last.stop()).to.equal(0);
    expect(await known()).to.deep.equal({ size: ROWS, underWay: null });
    expect(cut, 'uploads that were cut').to.be.above(0);
  });

  it('hand out no part of an export as the whole, and leave none of it behind', async () => {
    const scratch = folder.file('data/scratch');
    /** One that is killed before its file has lost its name leaves the name alone. */
    const bytesLeft = async (): Promise<number> => {
      const files = await Promise.all((await readdir(scratch)).map((name) => stat(join(scratch, name))));
      return files.reduce((sum, { size }) => sum + size, 0);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const life = program.start(settings);
      const url = await life.url;
      if (round === 0) expect((await upload(url, ROUNDS + 1)).status).to.equal(200);
      const asking = request(`${url}/api/v1/export/tools.jsonl`, { headers: headers() }).end();
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      const announced = Number(answer.headers['content-length']);
      // It is slow, and so the file is under way when the server dies.
      answer.once('data', () => answer.pause());
      const broken = once(answer, 'error');
      answer.resume();
      await until('the file is under way', () => answer.isPaused());
      await life.kill();
      answer.on('data', () => {});
      answer.resume();
      await broken;
      expect(announced).to.be.above(ROWS * ROW_CHARS);
      expect(answer.complete).to.equal(false);
      expect(await bytesLeft()).to.equal(0);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const life = program.start(settings);
      const url = await life.url;
      // Nobody has asked this process for it: it is made now, and the server dies at it or right after.
      const asking = request(`${url}/api/v1/export/tools.csv.gz`, { headers: headers() }).end();
      const broken = once(asking, 'error');
      const answered = once(asking, 'response');
      // Which of them comes is not known.
      broken.catch(() => {});
      answered.catch(() => {});
      await delay(round === 0 ? 0 : Math.random() * LONGEST_MAKING_MS);
      await life.kill();
      asking.destroy(new Error('the server is dead'));
      await Promise.race([broken, answered]);
      expect(await bytesLeft()).to.equal(0);
    }
    const life = program.start(settings);
    const url = await life.url;
    const manifest = await fetch(`${url}/api/v1/export/tools.jsonl/manifest`, { headers: headers() });
    const { data } = (await manifest.json()) as { data: { sha256: string; rows: number } };
    const whole = Buffer.from(
      await (await fetch(`${url}/api/v1/export/tools.jsonl`, { headers: headers() })).arrayBuffer(),
    );
    expect(createHash('sha256').update(whole).digest('hex')).to.equal(data.sha256);
    expect(data.rows).to.equal(ROWS);
    // Whatever died before its name was gone is removed by whoever makes the next.
    expect(await readdir(scratch)).to.deep.equal([]);
    expect(await life.stop()).to.equal(0);
  });

  it('lose no count of a request that was answered, and give none back twice', async () => {
    const used = async (url: string): Promise<number> => {
      const { headers: said } = await fetch(`${url}/api/v1/usage`, { headers: headers() });
      return Number(said.get('X-Quota-Limit')) - Number(said.get('X-Quota-Remaining'));
    };
    let [atLeast, atMost, cut, given] = [0, Number.MAX_SAFE_INTEGER, 0, 0];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const life = program.start(settings);
      const url = await life.url;
      const before = await used(url);
      expect(before, `after ${round} rounds`).to.be.within(atLeast, atMost);
      if (round === ROUNDS) {
        expect(await life.stop()).to.equal(0);
        break;
      }
      const ask = (tag: string) =>
        fetch(`${url}/api/v1/tools?limit=1`, { headers: { ...headers(), 'If-None-Match': tag } });
      const tag = (await ask('"other"')).headers.get('ETag') ?? '"none: the minute is over its limit"';
      // That one counts too, where it was not too many.
      const start = await used(url);
      const answers = new Map<number, number>();
      let inDoubt = 0;
      const keepAsking = async (asked: string): Promise<void> => {
        for (;;) {
          const status = await ask(asked)
            .then(async (answer) => (await answer.arrayBuffer(), answer.status))
            .catch(() => null);
          if (status === null) break;
          answers.set(status, (answers.get(status) ?? 0) + 1);
        }
        inDoubt += 1;
      };
      const asking = Array.from({ length: IN_FLIGHT }, (_, n) => keepAsking(n % 2 === 0 ? tag : '"other"'));
      const enough = Math.random() * MOST_ANSWERS;
      await until('some are answered', () => [...answers.values()].reduce((a, b) => a + b, 0) > enough);
      await life.kill();
      await Promise.all(asking);
      expect([...answers.keys()].filter((status) => ![200, 304, 429].includes(status))).to.deep.equal([]);
      given += answers.get(304) ?? 0;
      cut += inDoubt;
      // What was under way may be counted, and what was to be given back may stay counted.
      atLeast = start + (answers.get(200) ?? 0);
      atMost = atLeast + inDoubt;
    }
    expect(cut, 'requests that were cut').to.be.above(0);
    expect(given, 'requests that were given back').to.be.above(0);
  });
});
