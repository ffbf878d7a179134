/** What our adapter does in a process, beside others that do the same with bare packages on the same server. */
import type { BenchRun, Figure, Goal } from './bench.ts';
import { type Gauge, startGauge } from './children.ts';
import type { Work, WorkOrder } from './engine-work.ts';
import { beside, median, ratiosOf } from './statistics.ts';

export interface Comparison<Name extends string> {
  readonly task: Name;
  readonly name: string;
  /** The way in which the other process works. */
  readonly ceiling: string;
  readonly ceilingName: string;
  readonly goal?: Goal;
}

/** For each task a comparison with the way `bare`, of which ours is to do so much. */
export function allBesideBare<Name extends string>(
  names: Readonly<Record<Name, string>>,
  goal: Goal,
): readonly Comparison<Name>[] {
  // The keys are those of the type: our tables are literals.
  const tasks = Object.keys(names) as Name[];
  return tasks.map((task) => {
    const name = names[task];
    return { task, name, ceiling: 'bare', ceilingName: `bare: ${name}`, goal };
  });
}

/** @param main of each process, which is told its way and the server's address */
export async function measureBeside<Name extends string>(
  { rounds, seconds }: BenchRun,
  main: string,
  url: string,
  comparisons: readonly Comparison<Name>[],
): Promise<readonly Figure[]> {
  const open = (way: string): Promise<Gauge<Work>> => startGauge(main, [way, url]);
  const ceilings = new Map<string, Gauge<Work>>();
  for (const way of new Set(comparisons.map(({ ceiling }) => ceiling))) ceilings.set(way, await open(way));
  const adapter = await open('adapter');
  const figures: Figure[] = [];
  for (const { task, name, ceiling, ceilingName, goal } of comparisons) {
    const order: WorkOrder<Name> = { task, seconds };
    // Every ceiling that is named here was started above.
    const askCeiling = () => ceilings.get(ceiling)!.ask(order);
    const askOurs = () => adapter.ask(order);
    await askCeiling();
    await askOurs();
    const measured = await beside(rounds, askCeiling, askOurs);
    figures.push(figureOf(ceilingName, measured.ceilings), {
      ...figureOf(name, measured.own),
      against: { what: 'bare', ...ratiosOf(measured) },
      ...(goal !== undefined && { goal }),
    });
  }
  await Promise.all([...ceilings.values(), adapter].map(({ stop }) => stop()));
  return figures;
}

function figureOf(what: string, results: readonly Work[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map(({ rate }) => rate),
    cpuUs: median(results.map(({ cpuUs }) => cpuUs)),
  };
}
