/** What a caller is told of an exception: whether to try again, and nothing of its cause. */
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import type { Refusal } from '../operations/refusals.ts';
import { BlobsUnavailable } from '../ports/blobs.ts';
import { QueueUnavailable } from '../ports/queue.ts';
import { Contended, Overloaded } from '../runners/command-call.ts';

const NOTHING_DONE = [
  StoreUnavailable,
  ViewsUnavailable,
  BlobsUnavailable,
  QueueUnavailable,
  Overloaded,
  Contended,
];

/** Building takes as long as the log is; nobody need ask many times for that. */
const BUILDING_RETRY_SECONDS = 5;

export function refusalFor(error: unknown, requestId: string): Refusal {
  if (error instanceof OutcomeUnknown) {
    return unavailable(
      'It is not known whether this was done. Repeat it with the same Idempotency-Key to find out.',
    );
  }
  if (error instanceof ViewBeingBuilt) {
    return unavailable(
      'What this asks for is being built from the log. Nothing was done; try again.',
      BUILDING_RETRY_SECONDS,
    );
  }
  if (NOTHING_DONE.some((kind) => error instanceof kind)) {
    return unavailable('The service cannot do this for now. Nothing was done; try again.');
  }
  return {
    code: 'internal',
    message: `Something went wrong on our side. Quote ${requestId} when you report it.`,
  };
}

function unavailable(message: string, retryAfterSeconds = 1): Refusal {
  return { code: 'unavailable', message, retryAfterSeconds };
}
