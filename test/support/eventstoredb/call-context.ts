/** What the handlers of a double share. */
import type { Metadata, ServiceError } from '@grpc/grpc-js';
import { type Caller, callerOf, type Credentials, refusedAccess, type Right } from './access.ts';
import type { FaultBox, Method } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { type Endpoint, notLeader, notReady } from './rpc-errors.ts';
import type { Generation } from './generation.ts';

export interface CallContext {
  readonly ledger: Ledger;
  readonly faults: FaultBox;
  /** Null when it asks for none. */
  readonly users: readonly Credentials[] | null;
  readonly generation: Generation;
  readonly role: () => Role;
  /** How long a write waits to be replicated. */
  readonly commitTimeoutMs: number;
  /** The greatest append, in bytes of data. */
  readonly maxAppendBytes: number;
  readonly countCall: (method: Method) => void;
  /** Counts a subscription as open until the function it returns is called. */
  readonly countSubscription: () => () => void;
  /** Runs `task` after `ms`, unless the double has stopped by then. */
  readonly later: (ms: number, task: () => void) => void;
  /** Destroys the connection that a call came over, by its peer address. */
  readonly cut: (peer: string) => void;
  /** Ends the server as a fault of its own would. */
  readonly die: () => void;
}

export type Role =
  | { readonly kind: 'leader' }
  /** The leader that it names may be gone by now. */
  | { readonly kind: 'follower'; readonly leader: Endpoint }
  /** There is no leader, as far as it knows. */
  | { readonly kind: 'electing' };

/** Why this node will not serve `stream` (or `$all`) to the caller; null when it will. */
export function refusal(
  context: CallContext,
  metadata: Metadata,
  stream: string,
  right: Right,
): ServiceError | null {
  const refused = refusedAccess(context.ledger, caller(context, metadata), stream, right);
  return refused ?? refusedByRole(context, metadata);
}

export function caller({ users }: CallContext, metadata: Metadata): Caller {
  return callerOf(metadata, users);
}

/** A follower serves reads and passes writes on to its leader, unless the caller insists on the leader itself. */
export function refusedByRole({ role }: CallContext, metadata: Metadata): ServiceError | null {
  const now = role();
  switch (now.kind) {
    case 'leader':
      return null;
    case 'follower':
      return metadata.get('requires-leader')[0] === 'true' ? notLeader(now.leader) : null;
    case 'electing':
      return notReady();
  }
}
