import { MAX_SECRETS, type TooManySecrets } from '../../../commands/overlapping-secrets.ts';
import { refuse, type Refused } from '../refusals.ts';

export function tooManySecrets({ until }: TooManySecrets): Refused {
  const message = `at most ${MAX_SECRETS} secrets count at once, each until a day after the next: the oldest ends at ${until}`;
  const detail = { path: 'secret', message: `the oldest ends at ${until}`, limit: String(MAX_SECRETS) };
  return refuse('conflict', message, { details: [detail] });
}
