/** The no to more than there may be. */
import { MAX_CHANGES_A_DAY, type TooManyChanges } from '../../commands/changes-a-day.ts';
import { MAX_SECRETS, type TooManySecrets } from '../../commands/overlapping-secrets.ts';
import { refuse, type Refused } from './refusals.ts';

/** @param path what is limited, as the API names it; `why` is said of it there */
export function tooMany(message: string, limit: number, path: string, why: string): Refused {
  return refuse('conflict', message, { details: [{ path, message: why, limit: String(limit) }] });
}

/** @param path what is changed too often, as the API names it */
export function tooManyChanges(path: 'key' | 'endpoint', { until }: TooManyChanges): Refused {
  const message = `It was changed ${MAX_CHANGES_A_DAY} times in a day; again from ${until} on.`;
  return tooMany(message, MAX_CHANGES_A_DAY, path, 'changes are limited');
}

export function tooManySecrets({ until }: TooManySecrets): Refused {
  const message = `at most ${MAX_SECRETS} secrets count at once, each until a day after the next: the oldest ends at ${until}`;
  return tooMany(message, MAX_SECRETS, 'secret', `the oldest ends at ${until}`);
}
