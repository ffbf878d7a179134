/** B6: what the command runner does in process, beside the ceiling of its engine and beside Emmett. */
import type { Bench, Figure } from './bench.ts';
import { type Gauge, startGauge } from './children.ts';
import { installEmmett } from './emmett.ts';
import type { SpendsDone } from './spends.main.ts';
import { beside, median, ratiosOf } from './statistics.ts';

export const commandRunner: Bench = {
  name: 'B6',
  title: 'spends by the command runner in process, 64 in flight',
  isDurable: true,
  async run(run) {
    const { rounds, seconds, scratch, say } = run;
    const open = (what: string, ...more: readonly string[]): Promise<Gauge<SpendsDone>> =>
      startGauge('spends.main.ts', [what, scratch, ...more]);
    const many = await open('runner');
    const one = await open('runner-one');
    const raw = await open('raw');
    const rawOne = await open('raw-one');
    const gauges = [many, one, raw, rawOne];
    const ask = (gauge: Gauge<SpendsDone>, inFlight?: number) => () => gauge.ask({ seconds, inFlight });
    for (const gauge of gauges) await ask(gauge)();

    const byRaw = await beside(rounds, ask(raw), ask(many));
    const oneByRaw = await beside(rounds, ask(rawOne), ask(one));
    const conflicts = [...byRaw.own, ...oneByRaw.own].reduce((sum, each) => sum + each.conflicts, 0);
    const perAppend = oneByRaw.own.map(({ rate, appends }) => (rate * seconds) / appends);
    say(`  ${conflicts} conflicts; on one mandate ${Math.round(median(perAppend))} spends an append`);
    const figures: Figure[] = [
      figureOf('raw groups of 64 rows, 500 streams', byRaw.ceilings),
      {
        ...figureOf('spends of 500 mandates', byRaw.own),
        against: { what: 'raw', ...ratiosOf(byRaw) },
        goal: { of: 'ratio', atLeast: 0.5 },
      },
      figureOf('raw groups of 64 rows, one stream', oneByRaw.ceilings),
      {
        ...figureOf('spends of one mandate', oneByRaw.own),
        against: { what: 'raw', ...ratiosOf(oneByRaw) },
      },
    ];
    try {
      const emmett = await open('emmett', installEmmett());
      gauges.push(emmett);
      const byEmmett = await beside(rounds, ask(emmett), ask(many));
      const inTurn = await beside(rounds, ask(emmett, 1), ask(many, 1));
      figures.push(
        figureOf('Emmett SQLite, 64 in flight', byEmmett.ceilings),
        {
          ...figureOf('spends of 500 mandates', byEmmett.own),
          against: { what: 'Emmett', ...ratiosOf(byEmmett) },
          goal: { of: 'ratio', atLeast: 3 },
        },
        figureOf('Emmett SQLite, one after the other', inTurn.ceilings),
        {
          ...figureOf('spends one after the other', inTurn.own),
          against: { what: 'Emmett', ...ratiosOf(inTurn) },
        },
      );
    } catch (error) {
      say(`  without Emmett, which cannot be had here: ${String(error)}`);
    }
    await Promise.all(gauges.map((gauge) => gauge.stop()));
    return figures;
  },
};

function figureOf(what: string, results: readonly SpendsDone[]): Figure {
  return {
    what,
    unit: '/s',
    values: results.map((each) => each.rate),
    cpuUs: median(results.map((each) => each.cpuUs)),
  };
}
