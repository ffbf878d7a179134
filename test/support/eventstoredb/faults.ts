/** What a double can be told to do wrong: to the next calls of a method, or to all until it is told otherwise. */
import type { status } from '@grpc/grpc-js';
import type { Endpoint } from './rpc-errors.ts';

export const ANSWER_METHODS = [
  'append',
  'batchAppend',
  'delete',
  'tombstone',
  'supportedMethods',
  'gossip',
] as const;
/** What is answered once; a `batchAppend` is one append of the many that share a call. */
export type AnswerMethod = (typeof ANSWER_METHODS)[number];

export const STREAM_METHODS = ['read', 'subscribe'] as const;
/** One RPC: `read` covers streams and `$all`, `subscribe` is the same when it asks for a subscription. */
export type StreamMethod = (typeof STREAM_METHODS)[number];

export type Method = AnswerMethod | StreamMethod;

export type CommonFault =
  /** Takes the request, does nothing and never answers. */
  | { readonly kind: 'silence' }
  /** Does nothing and cuts the connection that asked. */
  | { readonly kind: 'break' }
  /** Waits before it does anything. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Fails with a gRPC status, having done nothing. */
  | { readonly kind: 'status'; readonly code: status; readonly details?: string }
  /** Says that another node leads, whether the caller asked for the leader or not. */
  | { readonly kind: 'not-leader'; readonly leader: Endpoint };

export type AnswerFault =
  | CommonFault
  /** Does it and never answers. */
  | { readonly kind: 'effect-then-silence' }
  /** Does it and cuts the connection that asked. */
  | { readonly kind: 'effect-then-break' }
  /** Does it and fails with a gRPC status. */
  | { readonly kind: 'effect-then-status'; readonly code: status; readonly details?: string }
  /** Does it at once and answers this much later. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Does it at once and answers when the fault is released. */
  | { readonly kind: 'held' }
  /** Answers twice. Only a batch append can: all else has one answer by protocol, and then gives one. */
  | { readonly kind: 'doubled' }
  /** Of a write: does nothing and says that the stream stands at `current`, or does not exist (-1n). */
  | { readonly kind: 'wrong-version'; readonly current: bigint }
  /** Of a write: says that the server gave up waiting for its commit, having committed it or not. */
  | { readonly kind: 'server-timeout'; readonly isCommitted: boolean };

export type StreamFault =
  | CommonFault
  /** Begins when the fault is released. */
  | { readonly kind: 'held' }
  /** Gives this many events and then nothing more, ever. */
  | { readonly kind: 'silence-after'; readonly events: number }
  /** Gives this many events and then fails with a status. */
  | { readonly kind: 'drop-after'; readonly events: number; readonly code: status }
  /** Gives this many events and then cuts the connection. */
  | { readonly kind: 'break-after'; readonly events: number }
  /** Gives this many events and then ends in peace, as a server that shuts down. */
  | { readonly kind: 'end-after'; readonly events: number };

export interface SwitchedFault {
  /** How many calls it has met. */
  readonly met: () => number;
  /** Lets go what a `held` fault has kept back, and holds no more. */
  readonly release: () => void;
  readonly off: () => void;
}

export interface Faults {
  /** For the next `calls` calls of `method`, or until switched off. Of several the first switched on comes first. */
  on(method: AnswerMethod, fault: AnswerFault, calls?: number): SwitchedFault;
  on(method: StreamMethod, fault: StreamFault, calls?: number): SwitchedFault;
  clear(): void;
}

/** A fault as a call meets it; `hold` keeps something back until the fault is released. */
export interface Met<Fault> {
  readonly fault: Fault;
  readonly hold: (task: () => void) => void;
}

export interface FaultBox extends Faults {
  /** The fault that this call meets, if any. */
  meetAnswer(method: AnswerMethod): Met<AnswerFault> | null;
  meetStream(method: StreamMethod): Met<StreamFault> | null;
}

export function faultBox(): FaultBox {
  const answers = shelf<AnswerMethod, AnswerFault>();
  const streams = shelf<StreamMethod, StreamFault>();
  return {
    on: (method: Method, fault: AnswerFault | StreamFault, calls?: number) =>
      isStreamMethod(method)
        ? // The overloads of `on` let no other fault come with such a method.
          streams.on(method, fault as StreamFault, calls)
        : answers.on(method, fault as AnswerFault, calls),
    clear() {
      answers.clear();
      streams.clear();
    },
    meetAnswer: (method) => answers.meet(method),
    meetStream: (method) => streams.meet(method),
  };
}

function isStreamMethod(method: Method): method is StreamMethod {
  return STREAM_METHODS.some((name) => name === method);
}

interface Entry<M, Fault> {
  readonly method: M;
  readonly fault: Fault;
  readonly held: (() => void)[];
  left: number;
  met: number;
  isReleased: boolean;
}

function shelf<M, Fault>() {
  let entries: Entry<M, Fault>[] = [];
  return {
    on(method: M, fault: Fault, calls = Number.POSITIVE_INFINITY): SwitchedFault {
      const entry: Entry<M, Fault> = { method, fault, held: [], left: calls, met: 0, isReleased: false };
      entries.push(entry);
      return {
        met: () => entry.met,
        release() {
          entry.isReleased = true;
          for (const task of entry.held.splice(0)) task();
        },
        off: () => void (entries = entries.filter((other) => other !== entry)),
      };
    },
    clear: (): void => void (entries = []),
    meet(method: M): Met<Fault> | null {
      const entry = entries.find((candidate) => candidate.method === method && candidate.left > 0);
      if (entry === undefined) return null;
      entry.left -= 1;
      entry.met += 1;
      return {
        fault: entry.fault,
        hold: (task) => void (entry.isReleased ? task() : entry.held.push(task)),
      };
    },
  };
}
