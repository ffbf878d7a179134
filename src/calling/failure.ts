/** What a caller is told of an exception: whether to try again, and nothing of its cause. */
import { failureKind } from '../logging/failures.ts';
import type { Refusal } from '../operations/refusals.ts';

/** Building takes as long as the log is; nobody need ask many times for that. */
const BUILDING_RETRY_SECONDS = 5;

export function refusalFor(error: unknown, requestId: string): Refusal {
  switch (failureKind(error)) {
    case 'outcome-unknown':
      return unavailable(
        'It is not known whether this was done. Repeat it with the same Idempotency-Key to find out.',
      );
    case 'being-built':
      return unavailable(
        'What this asks for is being built from the log. Nothing was done; try again.',
        BUILDING_RETRY_SECONDS,
      );
    case 'behind':
      return unavailable('The list does not show yet all that was written before you asked. Ask again.');
    case 'abandoned':
    case 'damaged':
    case 'unavailable':
      return unavailable('The service cannot do this for now. Nothing was done; try again.');
    case 'bug':
      return {
        code: 'internal',
        message: `Something went wrong on our side. Quote ${requestId} when you report it.`,
      };
  }
}

function unavailable(message: string, retryAfterSeconds = 1): Refusal {
  return { code: 'unavailable', message, retryAfterSeconds };
}
