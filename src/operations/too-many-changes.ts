import { MAX_CHANGES_A_DAY, type TooManyChanges } from '../../commands/changes-a-day.ts';
import { refuse, type Refused } from './refusals.ts';

/** @param path what is changed too often, as the API names it */
export function tooManyChangesOf(path: 'key' | 'endpoint', { until }: TooManyChanges): Refused {
  const message = `It was changed ${MAX_CHANGES_A_DAY} times in a day; again from ${until} on.`;
  const details = [{ path, message: 'changes are limited', limit: String(MAX_CHANGES_A_DAY) }];
  return refuse('conflict', message, { details });
}
