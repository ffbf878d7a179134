/**
 * `bourse migrate` into EventStoreDB's double from files that were damaged, before it or between a run that was killed
 * and the next: it refuses with a reason, or the market goes on there with every acknowledged spend, and keeps the caps.
 * A few rounds by default; BOURSE_DAMAGE_ROUNDS asks for more, and BOURSE_DAMAGE_SEED for those that a failure names.
 */
import { randomInt } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { buildProgram, type Program } from '../support/built-program.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { type Damage, drawDamages, inflict, randomFrom, withWitness } from './damages.ts';
import { type History, makeHistory, type Moment } from './history.ts';
import { judge, type Outcome } from './judge.ts';

const ROUNDS = Number(process.env.BOURSE_DAMAGE_ROUNDS ?? 8);
const FIRST_SEED = Number(process.env.BOURSE_DAMAGE_SEED ?? randomInt(1_000_000_000));
const DEADLINE_MS = 180_000 + ROUNDS * 60_000;
const MAX_COMMITS = 60;

type Ending = Outcome | 'migrate refused';

interface Round {
  readonly seed: number;
  readonly from: Moment;
  readonly damages: readonly Damage[];
  /** After how many commits a first run is killed; null: there is none. */
  readonly killedAfter: number | null;
}

describe(`A log that is moved from files damaged in ${ROUNDS} ways from seed ${FIRST_SEED} on`, function () {
  this.timeout(DEADLINE_MS);
  let program: Program;
  let folder: TempFolder;
  let history: History;
  before(async () => {
    program = await buildProgram();
    folder = await tempFolder();
    history = await makeHistory(program, folder.file);
  });
  after(async () => {
    await folder.remove();
    await program.remove();
  });

  it('goes on with all of it where nothing is damaged, also after a run that was killed', async () => {
    const [from] = history.ends;
    for (const killedAfter of [null, 20])
      expect(await playRound({ seed: 0, from, damages: [], killedAfter })).to.equal('whole');
  });

  it('is refused where the source ends before what is known of it', async () => {
    const from = history.ends.find(({ name }) => name === 'killed at rest') ?? history.ends[0];
    const damages: readonly Damage[] = [{ kind: 'remove', file: 'bourse.db-wal' }];
    expect(await playRound({ seed: 0, from, damages, killedAfter: null })).to.equal('migrate refused');
  });

  it('refuses with a reason, or goes on with every acknowledged spend and keeps the caps', async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed += 1)
      await playRound(drawRound(seed, history));
  });

  async function playRound(round: Round): Promise<Ending> {
    const dataDir = folder.file(`round-${round.seed}`);
    cpSync(round.from.folder, dataDir, { recursive: true });
    const double = await startEventStoreDouble();
    const settings = { DATA_DIR: dataDir, EVENTSTORE_URL: double.url };
    const migrate = ['migrate', '--from', `sqlite:${dataDir}`];
    try {
      if (round.killedAfter !== null)
        await program.run(settings, migrate, afterCommits(double, round.killedAfter)).catch(() => {});
      for (const damage of round.damages) inflict(damage, dataDir, history.others);
      const refusal = await program.run(settings, migrate).then(() => null, String);
      const { customers } = round.from;
      if (refusal === null) return await judge(program, settings, customers);
      expect(refusal, 'a reason, and no stack')
        .to.match(/\nbourse: [^\n]+\n?$/)
        .and.not.match(/\n +at /);
      // Whoever starts there all the same is not served by half a log.
      const outcome = await judge(program, settings, customers);
      return outcome === 'whole' ? outcome : 'migrate refused';
    } catch (error) {
      throw new Error(`${describeRound(round)}\n${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    } finally {
      await double.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
});

function afterCommits({ ledger }: EventStoreDouble, count: number): AbortSignal {
  const killed = new AbortController();
  let committed = 0;
  ledger.onCommit(() => {
    committed += 1;
    if (committed === count) killed.abort();
  });
  return killed.signal;
}

function drawRound(seed: number, { ends, others }: History): Round {
  const random = randomFrom(seed);
  const from = ends[Math.floor(random() * ends.length)] ?? ends[0];
  const killedAfter = random() < 0.4 ? 1 + Math.floor(random() * MAX_COMMITS) : null;
  const damages = withWitness(drawDamages(random, others.length), from.isInViews);
  return { seed, from, killedAfter, damages };
}

function describeRound({ seed, from, killedAfter, damages }: Round): string {
  const before = killedAfter === null ? 'before it' : `after a run that was killed at commit ${killedAfter}`;
  return `BOURSE_DAMAGE_SEED=${seed} BOURSE_DAMAGE_ROUNDS=1: from "${from.name}", ${before}: ${JSON.stringify(damages)}`;
}
