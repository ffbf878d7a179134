/** What can go wrong with a call to EventStoreDB: whether it can have had an effect, and what a person should know. */
import { convertToCommandError, ErrorType, isCommandError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { NotPermitted, OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';

export type FailureReason =
  /** No answer within the deadline. */
  | 'silent'
  /** No answer to an append, on a connection that may be well. */
  | 'unanswered'
  /** No connection, so nothing was sent. */
  | 'unreachable'
  /** It is known that there is no connection to be had: refused without a try. */
  | 'away'
  /** The server does not know the user, or the password is wrong. */
  | 'stranger'
  /** The user may not do this. */
  | 'denied'
  /** Another node leads; the client goes there by itself. */
  | 'not-leader'
  /** The server starts, stops or has too much to do, and did not look at the request; or the client changes over. */
  | 'not-ready'
  | 'too-large'
  /** The server finds the request wrong. */
  | 'refused'
  /** There is no such place in the log: beyond its end, or in the midst of a record. */
  | 'no-place'
  /** The time in which an answer was wanted was over before it was asked for. */
  | 'late'
  /** Somebody deleted the stream on the server. */
  | 'deleted'
  /** The call ended in the midst of things. */
  | 'broken';

const MAY_BE_DONE: readonly FailureReason[] = ['silent', 'unanswered', 'broken'];
const PERMANENT: readonly FailureReason[] = [
  'stranger',
  'denied',
  'too-large',
  'refused',
  'no-place',
  'deleted',
];

export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** Whether the call surely had no effect. */
  get isUndone(): boolean {
    return !MAY_BE_DONE.includes(this.reason);
  }

  /** Whether the same again comes to the same, whenever it is asked for. */
  get isPermanent(): boolean {
    return PERMANENT.includes(this.reason);
  }

  /** Whether a better answer may be had at once, from a new connection or another node. */
  get isWorthAnotherTry(): boolean {
    return !this.isPermanent && this.reason !== 'away' && this.reason !== 'late';
  }
}

export const NO_NODE = 'no node of the cluster answers';

/** The failure that an error of the client stands for. @throws the error itself where it is none of the client's */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof StoreUnavailable && error.cause instanceof CallFailure) return error.cause;
  if (!(error instanceof Error)) throw error;
  const known = asCommandError(error);
  if (known !== undefined) return new CallFailure(reasonOf(known), inShort(error.message), { cause: error });
  if (error.message.startsWith('Failed to discover')) {
    return new CallFailure('unreachable', NO_NODE, { cause: error });
  }
  if (error.message === SHUT_DOWN)
    return new CallFailure('not-ready', 'the connection was given up', { cause: error });
  throw error;
}

/** The failure that ended a stream, whatever error it was: a listener cannot throw it to anybody. */
export function failureOfStream(error: Error): CallFailure {
  try {
    return failureOf(error);
  } catch {
    return new CallFailure('broken', error.message, { cause: error });
  }
}

/** To be thrown where nothing was done. */
export function unavailable(failure: CallFailure): StoreUnavailable {
  return new StoreUnavailable(`EventStoreDB: ${failure.message}`, { cause: failure });
}

export type Right = 'r' | 'w' | 'mw';

const RIGHTS: Readonly<Record<Right, string>> = { r: 'read', w: 'write to', mw: 'write the metadata of' };

/** To be thrown where the same again comes to the same: what an operator has to change, or a bug. */
export function refusedFor(failure: CallFailure, user: string, right: Right, stream: string): Error {
  const options = { cause: failure };
  switch (failure.reason) {
    case 'stranger':
      return unavailable(failure);
    case 'denied':
      // Given back, it works again.
      return new NotPermitted(
        `EventStoreDB does not let ${user} ${RIGHTS[right]} ${stream}: the right $${right} is missing`,
        options,
      );
    case 'too-large':
      return new Error(
        `EventStoreDB refuses an append to ${stream} for its size (${failure.message}): its MaxAppendSize must be 1 MiB or more`,
        options,
      );
    case 'deleted':
      return new Error(`the stream ${stream} was deleted in EventStoreDB`, options);
    default:
      return new Error(`EventStoreDB refuses what was asked of ${stream}: ${failure.message}`, options);
  }
}

/** To be thrown where it may have been done. */
export function unknown(failure: CallFailure): OutcomeUnknown {
  return new OutcomeUnknown(`EventStoreDB: ${failure.message}`, { cause: failure });
}

type CommandError = Error & { readonly type: ErrorType; readonly code?: unknown };

function asCommandError(error: Error): CommandError | undefined {
  try {
    const converted: unknown = convertToCommandError(error);
    // The client's own classes say so of themselves, but its declarations do not.
    return converted instanceof Error && isCommandError(converted) ? (converted as CommandError) : undefined;
  } catch {
    // It fails itself over answers that lack what it looks for.
    return Object.assign(new Error(error.message), { type: ErrorType.UNKNOWN });
  }
}

function reasonOf({ type, code, message }: CommandError): FailureReason {
  switch (type) {
    case ErrorType.DEADLINE_EXCEEDED:
      return 'silent';
    case ErrorType.ACCESS_DENIED:
      return code === status.UNAUTHENTICATED ? 'stranger' : 'denied';
    case ErrorType.NOT_LEADER:
      return 'not-leader';
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
      return 'too-large';
    case ErrorType.STREAM_DELETED:
      return 'deleted';
    case ErrorType.INVALID_ARGUMENT:
      return 'refused';
    case ErrorType.UNAVAILABLE:
      if (NEVER_SENT.test(message)) return 'unreachable';
      return NOT_LOOKED_AT.test(message) ? 'not-ready' : 'broken';
    default:
      // That there is no leader comes with the code of what is not known.
      if (NOT_LOOKED_AT.test(message)) return 'not-ready';
      if (NO_PLACE.test(message)) return 'no-place';
      if (code === status.PERMISSION_DENIED) return 'denied';
      return 'broken';
  }
}

/** Of what gRPC says about a connection that did not come about only what was wrong with it, without when. */
function inShort(message: string): string {
  const { wrong } =
    /Last error: (?:Error: )?(?<wrong>.*?)(?: \(\d{4}-[^)]*\))?\.?\s*(?:Resolution note:.*)?$/s.exec(message)
      ?.groups ?? {};
  return wrong === undefined ? message : `no connection: ${wrong.replace(OPENSSL, 'TLS: $<what>')}`;
}

/** OpenSSL tells which line of its sources an error is from. */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]+:SSL routines:[^:]*:(?<what>[^:]*):.*/s;

/** What the generations say of a place that none is: 23.10, 24.2, and 24.2 to a subscription. */
const NO_PLACE = /ReadAllResult: (?:Error|InvalidPosition)|read from an invalid position/;
/** What gRPC throws at a call that comes to a connection as it is given up. */
const SHUT_DOWN = 'Channel has been shut down';
/** How gRPC for Node says that it had no connection to send the request over. */
const NEVER_SENT = /No connection established|Name resolution failed/;
/** How the server says that it put the request aside, and gRPC that it did so while the client changed connections. */
export const NOT_LOOKED_AT =
  /Server Is Not Ready|The node is not ready yet|No leader info available|Server Is (Too )?Busy|Channel closed before call started/;
