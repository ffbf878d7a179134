/** What the handlers of a double share. */
import type { Metadata, ServiceError } from '@grpc/grpc-js';
import { type Caller, callerOf, type Credentials, refusedAccess } from './access.ts';
import type { FaultBox, Method } from './faults.ts';
import type { Ledger } from './ledger.ts';
import { type Endpoint, notLeader } from './rpc-errors.ts';
import type { Generation } from './generation.ts';

export interface CallContext {
  readonly ledger: Ledger;
  readonly faults: FaultBox;
  readonly credentials: Credentials | null;
  readonly generation: Generation;
  /** The node that leads, when it is another one. */
  readonly leader: () => Endpoint | null;
  readonly countCall: (method: Method) => void;
  /** Counts a subscription as open until the function it returns is called. */
  readonly countSubscription: () => () => void;
  /** Runs `task` after `ms`, unless the double has stopped by then. */
  readonly later: (ms: number, task: () => void) => void;
  /** Destroys the connection that a call came over, by its peer address. */
  readonly cut: (peer: string) => void;
}

/** Why this node will not serve `stream` (or `$all`) to the caller; null when it will. */
export function refusal(context: CallContext, metadata: Metadata, stream: string): ServiceError | null {
  return refusedAccess(caller(context, metadata), stream) ?? refusedByFollower(context, metadata);
}

export function caller({ credentials }: CallContext, metadata: Metadata): Caller {
  return callerOf(metadata, credentials);
}

/** A follower serves reads and passes writes on to its leader, unless the caller insists on the leader itself. */
export function refusedByFollower({ leader }: CallContext, metadata: Metadata): ServiceError | null {
  const other = leader();
  return other !== null && metadata.get('requires-leader')[0] === 'true' ? notLeader(other) : null;
}
