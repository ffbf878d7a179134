/** What the handlers of a double share: the ledger, the faults, who leads, and how to cut a connection. */
import type { Metadata } from '@grpc/grpc-js';
import type { Credentials } from './access.ts';
import type { FaultBox, Method } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Endpoint } from './rpc-errors.ts';

export interface CallContext {
  readonly ledger: Ledger;
  readonly faults: FaultBox;
  readonly credentials: Credentials | null;
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

export function wantsLeader(metadata: Metadata): boolean {
  return metadata.get('requires-leader')[0] === 'true';
}
