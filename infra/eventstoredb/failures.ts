/** What can go wrong with a call to EventStoreDB: whether it can have had an effect, and what a person should know. */
import { convertToCommandError, ErrorType, isCommandError } from '@eventstore/db-client';
import { OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';

export type FailureReason =
  /** No answer within the deadline. */
  | 'silent'
  /** No connection, so nothing was sent. */
  | 'unreachable'
  /** It is known that there is no connection to be had: refused without a try. */
  | 'away'
  /** The user may not do this, or the password is wrong. */
  | 'denied'
  /** Another node leads; the client goes there by itself. */
  | 'not-leader'
  /** The server starts, stops or has too much to do, and did not look at the request; or the client changes over. */
  | 'not-ready'
  | 'too-large'
  /** Somebody deleted the stream on the server. */
  | 'deleted'
  /** The call ended in the midst of things. */
  | 'broken';

const PERMANENT: readonly FailureReason[] = ['denied', 'too-large', 'deleted'];

export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  /** Whether the call surely had no effect. */
  get isUndone(): boolean {
    return this.reason !== 'silent' && this.reason !== 'broken';
  }

  /** Whether the same again comes to the same, whenever it is asked for. */
  get isPermanent(): boolean {
    return PERMANENT.includes(this.reason);
  }

  /** Whether a better answer may be had at once, from a new connection or another node. */
  get isWorthAnotherTry(): boolean {
    return !this.isPermanent && this.reason !== 'away';
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

/** To be thrown where it may have been done. */
export function unknown(failure: CallFailure): OutcomeUnknown {
  return new OutcomeUnknown(`EventStoreDB: ${failure.message}`, { cause: failure });
}

type CommandError = Error & { readonly type: ErrorType };

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

function reasonOf({ type, message }: CommandError): FailureReason {
  switch (type) {
    case ErrorType.DEADLINE_EXCEEDED:
      return 'silent';
    case ErrorType.ACCESS_DENIED:
      return 'denied';
    case ErrorType.NOT_LEADER:
      return 'not-leader';
    case ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED:
      return 'too-large';
    case ErrorType.STREAM_DELETED:
      return 'deleted';
    case ErrorType.UNAVAILABLE:
      if (NEVER_SENT.test(message)) return 'unreachable';
      return NOT_LOOKED_AT.test(message) ? 'not-ready' : 'broken';
    default:
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

/** What gRPC throws at a call that comes to a connection as it is given up. */
const SHUT_DOWN = 'Channel has been shut down';
/** How gRPC for Node says that it had no connection to send the request over. */
const NEVER_SENT = /No connection established|Name resolution failed/;
/** How the server says that it put the request aside, and gRPC that it did so while the client changed connections. */
export const NOT_LOOKED_AT = /Server Is Not Ready|Server Is (Too )?Busy|Channel closed before call started/;
