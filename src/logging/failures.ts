/** Which failures are no bugs, and how loudly each is told of: what answers, exit codes and log lines all go by. */
import { UndecodableEvent } from '../../events/catalog.ts';
import { LogLost, OutcomeUnknown, StoreDamaged, StoreUnavailable } from '../../events/event-store.ts';
import { PageAbandoned, ViewBehind, ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import type { Log } from './log.ts';
import { AccountKeysUnavailable } from '../ports/account-keys.ts';
import { BlobsUnavailable } from '../ports/blobs.ts';
import { NotDelivered, NotRenewed } from '../ports/fetcher.ts';
import { LeasesUnavailable } from '../ports/leases.ts';
import { MeterUnavailable } from '../ports/meter.ts';
import { PaymentsUnavailable } from '../ports/payments.ts';
import { QueueUnavailable } from '../ports/queue.ts';
import { Contended, Overloaded } from '../commanding/command-call.ts';
import { ScratchUnavailable } from '../ports/scratch.ts';
import { UnusableSecret } from '../settings/signing-secret.ts';

export type FailureKind =
  /** Views are not whole yet. */
  | 'being-built'
  /** Views do not show yet what is in the log. */
  | 'behind'
  /** Nobody waits for an answer any more. */
  | 'abandoned'
  /** Something that the work needs is away, full or contended. Nothing was done. */
  | 'unavailable'
  /** It may have been done. */
  | 'outcome-unknown'
  /** What is kept is not what was written, or was written by a newer program: it cannot be read. */
  | 'damaged'
  | 'bug';

const UNAVAILABLE = [
  StoreUnavailable,
  ViewsUnavailable,
  AccountKeysUnavailable,
  BlobsUnavailable,
  ScratchUnavailable,
  QueueUnavailable,
  LeasesUnavailable,
  MeterUnavailable,
  PaymentsUnavailable,
  Overloaded,
  Contended,
  NotDelivered,
  NotRenewed,
  UnusableSecret,
];

const DAMAGED = [StoreDamaged, LogLost, UndecodableEvent];

const LEVEL = {
  // They would be the same line for each request, and /readyz tells of them.
  'being-built': 'debug',
  behind: 'debug',
  abandoned: 'debug',
  unavailable: 'warn',
  'outcome-unknown': 'warn',
  damaged: 'error',
  bug: 'error',
} as const satisfies Record<FailureKind, keyof Log>;

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ViewBeingBuilt) return 'being-built';
  if (error instanceof ViewBehind) return 'behind';
  if (error instanceof PageAbandoned) return 'abandoned';
  if (error instanceof OutcomeUnknown) return 'outcome-unknown';
  if (DAMAGED.some((kind) => error instanceof kind)) return 'damaged';
  return UNAVAILABLE.some((kind) => error instanceof kind) ? 'unavailable' : 'bug';
}

/** Writes one line: with the stack where it is a bug, else with the reason alone. */
export function logFailure(
  log: Pick<Log, (typeof LEVEL)[FailureKind]>,
  error: unknown,
  fields: Readonly<Record<string, unknown>>,
  message: string,
): void {
  const kind = failureKind(error);
  const isTold = kind !== 'bug' && error instanceof Error;
  const what = isTold ? { failure: error.name, reason: reasonOf(error) } : { err: error };
  log[LEVEL[kind]]({ ...fields, ...what }, message);
}

/** The message, and what the cause adds to one that does not name it. */
export function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message;
}
