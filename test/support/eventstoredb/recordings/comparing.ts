/** What differs between what was recorded and what is answered now. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Call, Scenario } from './scenario.ts';

export interface Difference {
  readonly scenario: string;
  readonly call: Call;
  readonly recorded: Answer;
  readonly now: Answer;
}

/** The first step that is answered otherwise; null when all are answered alike. */
export function firstDifference(
  { scenario, title, steps }: Scenario,
  answers: readonly Answer[],
): Difference | null {
  for (const [index, { call, answer: recorded }] of steps.entries()) {
    const now = asRecorded(answers[index]);
    if (!isDeepStrictEqual(now, named(recorded, now)))
      return { scenario: `${scenario}: ${title}`, call, recorded, now };
  }
  return null;
}

/** As it would come back from a file. */
function asRecorded(answer: Answer | undefined): Answer {
  return answer === undefined ? { error: 'not asked' } : (JSON.parse(JSON.stringify(answer)) as Answer);
}

/**
 * A checkpoint `elsewhere` stood at an event whose place was not known yet when the checkpoint was heard: it takes the
 * name that it has now.
 */
function named(recorded: Answer, now: Answer): Answer {
  const [said, heard] = [recorded['said'], now['said']];
  if (!Array.isArray(said) || !Array.isArray(heard)) return recorded;
  return {
    ...recorded,
    said: said.map((one: { checkpoint?: string }, index) =>
      one.checkpoint === 'elsewhere' ? { ...one, checkpoint: heard[index]?.checkpoint } : one,
    ),
  };
}
