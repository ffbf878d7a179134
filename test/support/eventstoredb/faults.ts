/** What a double can be told to do wrong: to the next calls of a method, or to all until it is told otherwise. */
import type { status } from '@grpc/grpc-js';
import type { Endpoint } from './rpc-errors.ts';

export const METHODS = [
  'append',
  'batchAppend',
  'read',
  'subscribe',
  'delete',
  'tombstone',
  'supportedMethods',
  'gossip',
] as const;
/** `read` covers streams and `$all`; `subscribe` is the same RPC when it asks for a subscription. */
export type Method = (typeof METHODS)[number];

export type Fault =
  /** Takes the request, does nothing and never answers. */
  | { readonly kind: 'silence' }
  /** Does it and never answers. */
  | { readonly kind: 'effect-then-silence' }
  /** Does it and cuts the connection that asked. */
  | { readonly kind: 'effect-then-break' }
  /** Cuts the connection that asked, and does nothing. */
  | { readonly kind: 'break' }
  /** Does it, and answers when the fault is released. */
  | { readonly kind: 'held' }
  /** Does it at once and answers this much later. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Waits before it does anything. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Answers twice; only a batch append can. */
  | { readonly kind: 'doubled' }
  /** Does nothing and says that the stream stands elsewhere: at `current`, or does not exist (-1n). */
  | { readonly kind: 'wrong-version'; readonly current: bigint }
  /** Fails with a gRPC status, having done it before that when `after` is set. */
  | { readonly kind: 'status'; readonly code: status; readonly details?: string; readonly after?: boolean }
  /** Says that another node leads, to whoever asks for the leader or not. */
  | { readonly kind: 'not-leader'; readonly leader: Endpoint }
  /** Of a read or subscription: gives this many events and then nothing more, ever. */
  | { readonly kind: 'silence-after'; readonly events: number }
  /** Of a read or subscription: gives this many events and then fails with a status. */
  | { readonly kind: 'drop-after'; readonly events: number; readonly code: status }
  /** Of a read or subscription: gives this many events and then ends in peace, as a server that shuts down. */
  | { readonly kind: 'end-after'; readonly events: number };

export interface SwitchedFault {
  /** How many calls it has met. */
  readonly met: () => number;
  /** Gives every answer that a `held` fault has kept back, and holds no more. */
  readonly release: () => void;
  readonly off: () => void;
}

export interface Faults {
  /** For the next `calls` calls of `method`, or until switched off. Of several the first switched on comes first. */
  readonly on: (method: Method, fault: Fault, calls?: number) => SwitchedFault;
  readonly clear: () => void;
}

/** A fault as a call meets it; `hold` keeps an answer until it is released. */
export interface MetFault {
  readonly fault: Fault;
  readonly hold: (answer: () => void) => void;
}

export interface FaultBox extends Faults {
  /** The fault that this call meets, if any. */
  readonly meet: (method: Method) => MetFault | null;
}

interface Entry {
  readonly method: Method;
  readonly fault: Fault;
  left: number;
  met: number;
  held: (() => void)[];
  isReleased: boolean;
}

export function faultBox(): FaultBox {
  let entries: Entry[] = [];
  return {
    on(method, fault, calls = Number.POSITIVE_INFINITY) {
      const entry: Entry = { method, fault, left: calls, met: 0, held: [], isReleased: false };
      entries.push(entry);
      return {
        met: () => entry.met,
        release() {
          entry.isReleased = true;
          for (const answer of entry.held.splice(0)) answer();
        },
        off: () => void (entries = entries.filter((other) => other !== entry)),
      };
    },
    clear: () => void (entries = []),
    meet(method) {
      const entry = entries.find((candidate) => candidate.method === method && candidate.left > 0);
      if (entry === undefined) return null;
      entry.left -= 1;
      entry.met += 1;
      const hold = (answer: () => void): void => {
        if (entry.isReleased) answer();
        else entry.held.push(answer);
      };
      return { fault: entry.fault, hold };
    },
  };
}
