/**
 * The real program over damaged files: whatever a disk or an operator did to them, it refuses with a reason, or every
 * acknowledged spend is there and no cap is passed. A few rounds by default; BOURSE_DAMAGE_ROUNDS asks for more, and
 * BOURSE_DAMAGE_SEED for those that a failure names.
 */
import { randomInt } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { buy, type Customer, lookAtAll } from './customers.ts';
import { type Damage, damagedBy, drawDamages, inflict, randomFrom } from './damages.ts';
import { type History, makeHistory, type Moment } from './history.ts';

const ROUNDS = Number(process.env.BOURSE_DAMAGE_ROUNDS ?? 12);
const FIRST_SEED = Number(process.env.BOURSE_DAMAGE_SEED ?? randomInt(1_000_000_000));
/** A start waits for the disk about as long as it computes. */
const AT_ONCE = 3;
const DEADLINE_MS = 120_000 + ROUNDS * 20_000;
const SETTLED_MS = 20_000;
/** A failure names its round in full; the others are as good. */
const MAX_TOLD = 5;

const OUTCOMES = ['whole', 'unavailable with a reason', 'refused at the start', 'known as lost'] as const;
type Outcome = (typeof OUTCOMES)[number];
/** Among so many each outcome is seen, or the test has gone blind: the rarest is one in ten. */
const MANY = 200;

describe(`A market whose files are damaged in ${ROUNDS} ways`, function () {
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

  it('refuses with a reason, or has every acknowledged spend and keeps the caps', async () => {
    const outcomes = new Set<Outcome>();
    const failures: string[] = [];
    let next = FIRST_SEED;
    const work = async (): Promise<void> => {
      while (next < FIRST_SEED + ROUNDS) {
        const seed = next++;
        try {
          outcomes.add(await playRound(seed));
        } catch (error) {
          failures.push(String(error));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(
      failures,
      `${failures.length} of ${ROUNDS}:\n\n${failures.slice(0, MAX_TOLD).join('\n\n')}\n`,
    ).to.have.lengthOf(0);
    if (ROUNDS >= MANY) expect([...outcomes]).to.have.members(OUTCOMES);
  });

  async function playRound(seed: number): Promise<Outcome> {
    const round = drawRound(seed, history);
    const dataDir = folder.file(`round-${seed}`);
    cpSync(round.from.folder, dataDir, { recursive: true });
    try {
      if (round.isRunning) return await judge(dataDir, await damageRunning(dataDir, round));
      damageAll(dataDir, round);
      const outcome = await judge(dataDir, round.from.customers);
      if (outcome === 'known as lost') await goesOn(dataDir, round);
      return outcome;
    } catch (error) {
      throw new Error(`${describeRound(round)}\n${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }

  function damageAll(dataDir: string, { damages }: Round): void {
    for (const damage of damages) inflict(damage, dataDir, history.others);
  }

  /** Under a server that goes on trading, and is killed then. */
  async function damageRunning(dataDir: string, round: Round): Promise<readonly Customer[]> {
    const life = program.start({ DATA_DIR: dataDir }, { isExpectedToFail: true });
    const url = await life.url;
    let { customers } = round.from;
    const shop = async (): Promise<void> => {
      const all = await Promise.all(customers.map((customer) => buy(url, customer, 2)));
      customers = all.map(({ customer }) => customer);
    };
    try {
      await shop();
      damageAll(dataDir, round);
      await shop();
    } finally {
      await life.kill();
    }
    return customers;
  }

  async function judge(dataDir: string, customers: readonly Customer[]): Promise<Outcome> {
    const life = program.start({ DATA_DIR: dataDir }, { isExpectedToFail: true });
    try {
      const url = await Promise.race([life.url, life.ended.then(() => null)]).catch(() => null);
      if (url === null) return await isRefusedAtStart(life);
      if (await isLost(life, url)) return await isLeftAlone(url, customers);
      const found = await Promise.all(customers.map((customer) => holdTo(url, customer)));
      expect(life.printed(), 'stacks').not.to.match(/"stack":|^ +at /m);
      if (found.every((one) => one === 'whole')) return 'whole';
      expect(life.printed(), 'a reason').to.match(/"level":"(warn|error)"/);
      return 'unavailable with a reason';
    } finally {
      await life.kill();
    }
  }

  async function isRefusedAtStart(life: Life): Promise<Outcome> {
    expect(await life.ended, `exit code; ${life.complained()}`).to.equal(4);
    expect(life.complained().trim().split('\n'), life.complained()).to.have.lengthOf(1);
    return 'refused at the start';
  }

  /** Once it is ready or has said why it is not: whether the log is not the one that its followers know. */
  async function isLost(life: Life, url: string): Promise<boolean> {
    let isReady = false;
    await until(
      'it is ready or says why not',
      async () => {
        isReady = (await fetch(`${url}/readyz`)).status === 200;
        return isReady || /cannot be used|"level":"error"/.test(life.printed());
      },
      SETTLED_MS,
    );
    return !isReady && /LogLost.*accept-loss/.test(life.printed());
  }

  /** What is read of such a log may be anything; nothing is written to it. */
  async function isLeftAlone(url: string, customers: readonly Customer[]): Promise<Outcome> {
    for (const customer of customers) expect((await buy(url, customer, 1)).last).not.to.equal('bought');
    expect((await fetch(`${url}/readyz`)).status, '/readyz').to.equal(503);
    return 'known as lost';
  }

  /** Once the loss is accepted it is ready, and no cap is passed of which the views knew what had been acknowledged. */
  async function goesOn(dataDir: string, { from, damages }: Round): Promise<void> {
    const accepting = ['log', 'accept-loss', '--reason', 'A disk was damaged.', '--yes'];
    const refusal = await program.run({ DATA_DIR: dataDir }, accepting).then(() => null, String);
    // What is left of the log cannot be read either: then there is nothing to go on with.
    if (refusal !== null) return void expect(refusal).to.match(/\nbourse: .* it is damaged: [^\n]*\n?$/);
    const life = program.start({ DATA_DIR: dataDir }, { isExpectedToFail: true });
    try {
      const url = await life.url;
      await until('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200, SETTLED_MS);
      const areKnown =
        from.isInViews && !damages.flatMap(damagedBy).some((file) => file.startsWith('views.db'));
      for (const customer of areKnown ? from.customers : []) {
        const { customer: after } = await buy(url, customer, customer.cap + 1);
        expect(after.bought.length, 'acknowledged before and after the loss').to.be.at.most(customer.cap);
      }
    } finally {
      await life.kill();
    }
  }

  async function holdTo(url: string, customer: Customer): Promise<'whole' | 'unavailable'> {
    const seen = await lookAtAll(url, customer);
    const { customer: after, last } = await buy(url, customer, customer.cap);
    expect(after.bought.length, 'acknowledged in all').to.be.at.most(customer.cap);
    expect(last).to.be.oneOf(['at the cap', 'unavailable']);
    return last === 'unavailable' ? last : seen;
  }
});

interface Round {
  readonly seed: number;
  readonly from: Moment;
  readonly isRunning: boolean;
  readonly damages: readonly Damage[];
}

function drawRound(seed: number, { ends, others }: History): Round {
  const random = randomFrom(seed);
  const from = ends[Math.floor(random() * ends.length)] ?? ends[0];
  const isRunning = random() < 0.3;
  const drawn = drawDamages(random, others.length);
  const damages = withWitness(drawn, from.isInViews && !isRunning);
  return { seed, from, isRunning, damages };
}

/**
 * Where the log and everybody who knows its end are damaged together, nobody can tell what was there: of those, the file
 * beside the log is spared.
 */
function withWitness(damages: readonly Damage[], isInViews: boolean): readonly Damage[] {
  const damaged = new Set(damages.flatMap(damagedBy));
  const isLogDamaged = damaged.has('bourse.db') || damaged.has('bourse.db-wal');
  const areViewsSound = isInViews && !damaged.has('views.db') && !damaged.has('views.db-wal');
  if (!isLogDamaged || areViewsSound || !damaged.has('bourse.db-head')) return damages;
  return damages.flatMap((damage): Damage[] => {
    if (damage.kind === 'replace')
      return [{ ...damage, files: damage.files.filter((file) => file !== 'bourse.db-head') }];
    return damagedBy(damage).includes('bourse.db-head') ? [] : [damage];
  });
}

function describeRound({ seed, from, isRunning, damages }: Round): string {
  const when = isRunning ? 'under a running server' : 'before the start';
  return `BOURSE_DAMAGE_SEED=${seed} BOURSE_DAMAGE_ROUNDS=1: from "${from.name}", ${when}: ${JSON.stringify(damages)}`;
}
