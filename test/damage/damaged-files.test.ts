/**
 * The real program over damaged files: whatever a disk or an operator did to them, it refuses with a reason, or every
 * acknowledged spend is there and no cap is passed. A few rounds by default; BOURSE_DAMAGE_ROUNDS asks for more, and
 * BOURSE_DAMAGE_SEED for those that a failure names.
 */
import { randomInt } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { buildProgram, type Program } from '../support/built-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { buy, type Customer } from './customers.ts';
import { type Damage, damagedBy, drawDamages, inflict, randomFrom, withWitness } from './damages.ts';
import { type History, makeHistory, type Moment } from './history.ts';
import { goesOnAfterLoss, judge, type Outcome, OUTCOMES } from './judge.ts';

const ROUNDS = Number(process.env.BOURSE_DAMAGE_ROUNDS ?? 12);
const FIRST_SEED = Number(process.env.BOURSE_DAMAGE_SEED ?? randomInt(1_000_000_000));
/** A start waits for the disk about as long as it computes. */
const AT_ONCE = 3;
const DEADLINE_MS = 120_000 + ROUNDS * 20_000;
/** A failure names its round in full; the others are as good. */
const MAX_TOLD = 5;

/** Among so many each outcome is seen, or the test has gone blind: the rarest is one in ten. */
const MANY = 200;

describe(`A market whose files are damaged in ${ROUNDS} ways from seed ${FIRST_SEED} on`, function () {
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
      const settings = { DATA_DIR: dataDir };
      if (round.isRunning) return await judge(program, settings, await damageRunning(dataDir, round));
      damageAll(dataDir, round);
      const outcome = await judge(program, settings, round.from.customers);
      if (outcome === 'known as lost') await goesOnAfterLoss(program, settings, knownToViews(round));
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

/** Those of whom the views know all that was acknowledged. */
function knownToViews({ from, damages }: Round): readonly Customer[] {
  const isKnown = from.isInViews && !damages.flatMap(damagedBy).some((file) => file.startsWith('views.db'));
  return isKnown ? from.customers : [];
}

function describeRound({ seed, from, isRunning, damages }: Round): string {
  const when = isRunning ? 'under a running server' : 'before the start';
  return `BOURSE_DAMAGE_SEED=${seed} BOURSE_DAMAGE_ROUNDS=1: from "${from.name}", ${when}: ${JSON.stringify(damages)}`;
}
