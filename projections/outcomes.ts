/** What an agent's jobs came to, counted one by one. */
import type { AgentDocument } from './agent-document.ts';

type Outcomes = AgentDocument['outcomes'];

export const noOutcomes: Outcomes = withRate({ jobsCompleted: 0, jobsFailed: 0, recordsCreated: 0 });

/** The outcomes with one more of a kind. */
export function countOne(
  outcomes: Outcomes,
  what: 'jobsCompleted' | 'jobsFailed' | 'recordsCreated',
): Outcomes {
  const { jobsCompleted, jobsFailed, recordsCreated } = outcomes;
  const counts = { jobsCompleted, jobsFailed, recordsCreated };
  return withRate({ ...counts, [what]: counts[what] + 1 });
}

function withRate(counts: Omit<Outcomes, 'completionRate'>): Outcomes {
  const { jobsCompleted, jobsFailed } = counts;
  const ended = jobsCompleted + jobsFailed;
  if (ended === 0) return { ...counts, completionRate: { value: null, lowerBound95: null } };
  return {
    ...counts,
    completionRate: {
      value: toFourPlaces(jobsCompleted / ended),
      lowerBound95: toFourPlaces(wilsonLowerBound(jobsCompleted, ended)),
    },
  };
}

/** The normal quantile of a two-sided 95 % interval. */
const Z = 1.959963984540054;

/** E. B. Wilson, 1927: the lower end of the score interval for `successes` of `trials` (at least one). */
function wilsonLowerBound(successes: number, trials: number): number {
  const rate = successes / trials;
  const zz = Z * Z;
  const centre = rate + zz / (2 * trials);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / trials + zz / (4 * trials * trials));
  return Math.max(0, (centre - spread) / (1 + zz / trials));
}

function toFourPlaces(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
