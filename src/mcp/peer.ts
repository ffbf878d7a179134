/** Where a message came from, as far as answering it matters: HTTP or stdio. Made anew for every message. */
import type { Authentication } from '../transport/bearer.ts';
import type { CommandIdentity } from '../calling/idempotency.ts';
import type { Call, KeyHolder } from '../operations/operation.ts';
import type { Refusal } from '../operations/refusals.ts';

export interface Peer {
  readonly requestId: string;
  /** Now, RFC 3339. */
  readonly at: string;
  /** Whose key came with the message. */
  readonly authenticate: () => Promise<Authentication>;
  /** Counts what a command leaves, and a trial, against the account of the caller; the refusal once it is too much. */
  readonly countCommand: (caller: KeyHolder, isTrial: boolean) => Refusal | null;
  /** One call of an operation; its signal is aborted when the client has gone or takes the request back. */
  readonly call: (caller: KeyHolder | null, identity: CommandIdentity) => Call;
}
