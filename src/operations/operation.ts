/**
 * Operations are data: routes, tools, descriptions, the reference page and the tests' response checks are derived from
 * them, so that they cannot disagree. An operation knows nothing of the protocols by which it is called.
 */
import type { z } from 'zod';
import type { RefusalCode, Refused } from './refusals.ts';
import type { Services } from './services.ts';

export const SCOPES = [
  'trials:create',
  'jobs:read',
  'jobs:cancel',
  'mandate:read',
  'data:read',
  'provider:fulfil',
  'operator:write',
  'audit:read',
  'webhooks:manage',
  'keys:manage',
] as const;
export type Scope = (typeof SCOPES)[number];

/** What a caller needs for an operation: a key with the scope, or any key that works. */
export type NeededScope = Scope | 'any_key';

/** Whoever presented an API key: what the key is allowed to do is read from its view, not from the request. */
export interface KeyHolder {
  readonly keyId: string;
  readonly accountId: string;
  readonly mandateId: string;
  readonly scopes: readonly Scope[];
  /** The agency that the key acts for, if it is a provider's. */
  readonly agency: string | null;
}

/** One call of an operation, as the edge describes it by which it came. */
export interface Call {
  readonly caller: KeyHolder | null;
  /** Whose turn it is where questions wait for one another; absent for callers of this machine. */
  readonly asker?: string | undefined;
  /** Whether it came with a key, also where none is needed. */
  readonly hasKey?: boolean | undefined;
  readonly requestId: string;
  /** Now, RFC 3339: the only clock that a decision sees. Moves with `refusalNow`, and at the end of an upload. */
  readonly at: string;
  /**
   * The identity of the command: derived from the caller, the operation and the Idempotency-Key where one was sent,
   * random otherwise, and empty for queries. A stream answers each command once.
   */
  readonly commandId: string;
  /** SHA-256 of the canonical input, when an Idempotency-Key was sent. */
  readonly requestHash?: string;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** Whether the caller says that it has the answer of this revision already; absent where it says nothing of it. */
  readonly has?: (revision: string) => boolean;
  /** The text of the request as it came, where a signature is over it. */
  readonly text?: string;
  /** The bytes that are sent, where they are a file and no JSON; they fail when the sender goes away, or may not any more. */
  readonly upload?: Upload;
  /** Whether the caller may see how this process is inside. */
  readonly isMonitor?: boolean;
  /**
   * For after a wait: the no that the caller would get now, null where there is none. `at` and `caller` are of now then.
   * Not a promise where no time has passed to speak of; absent where there is nobody to ask.
   */
  readonly refusalNow?: () => Promise<Refused | null> | null;
  /** When its time for an answer ends, by `performance.now()`; absent where nobody has counted yet. */
  readonly untilMs?: number;
}

export interface Upload {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** As announced; null where it was not. */
  readonly sizeBytes: number | null;
}

/** A call whose key was checked: what operations with a scope are given. */
export interface KeyedCall extends Call {
  readonly caller: KeyHolder;
}

export interface Accepted<Output> {
  readonly ok: true;
  /** The payload, or its stored JSON text, which is passed on untouched. */
  readonly data: Output | StoredJson | TextAnswer | FileAnswer | LinesAnswer;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** The address of what was created, below the API's base. */
  readonly created?: string;
  /** The first outcome of this command once more. */
  readonly replayed?: boolean;
  /** What was sent is new and on its way, where the operation tells that from what it had before. */
  readonly accepted?: boolean;
  /** For lists with a page after this one: what its address has in its query beside, or in place of, what this one has. */
  readonly next?: Readonly<Record<string, string>>;
  /** Changes whenever the payload does: who has this revision need not read it again. */
  readonly revision?: string;
}

/** JSON text as a view keeps it. Its projection's schema vouches for its shape. */
export class StoredJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The payload in another form than JSON, such as CSV. What `meta` says is not in it. */
export class TextAnswer {
  /** To save it as. */
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
  constructor(name: string, contentType: string, text: string) {
    this.name = name;
    this.contentType = contentType;
    this.text = text;
  }
}

/** A file, or a part of it, as the answer, or that the caller has it. */
export class FileAnswer {
  readonly file: FileFacts;
  /** Inclusive; null for the whole file, and not modified where no bytes are to be sent. */
  readonly range: { readonly first: number; readonly last: number } | 'not modified' | null;
  /** Opened when it is about to be sent. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
  constructor(file: FileFacts, range: FileAnswer['range'], open: FileAnswer['open']) {
    this.file = file;
    this.range = range;
    this.open = open;
  }
}

/** Lines of JSON as the answer, made while they are sent, so that they take no memory to speak of. */
export class LinesAnswer {
  /** To save it as. */
  readonly name: string;
  /** Each ends with its line feed. An error on the way breaks the answer off, so that a part cannot pass for the whole. */
  readonly lines: AsyncIterable<string>;
  /** Called when no more is sent, whatever became of it. */
  readonly done: () => void;
  constructor(name: string, lines: AsyncIterable<string>, done: () => void) {
    this.name = name;
    this.lines = lines;
    this.done = done;
  }
}

export interface FileFacts {
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The position of the log that it is of, where it is of one. */
  readonly position?: string | null;
}

export type Outcome<Output> = Accepted<Output> | Refused;

interface OperationBase<Input, Output> {
  /** camelCase verb and noun: a published name, which never changes. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** What a reader of the reference needs to know beyond the schemas. */
  readonly description: string;
  readonly tag:
    | 'directory'
    | 'jobs'
    | 'mandates'
    | 'keys'
    | 'webhooks'
    | 'provider'
    | 'operator'
    | 'data'
    | 'operations';
  /** Whether it changes anything. */
  readonly kind: 'query' | 'command';
  /** A strict object of all that is asked for, each field by its published name. */
  readonly input: z.ZodType<Input>;
  /** The shape of `data`. */
  readonly output: z.ZodType<Output>;
  /** The shape of `meta`, where it is not empty (lists). */
  readonly meta?: z.ZodType;
  /** What it may refuse, beyond what every operation may (refusals.ts). */
  readonly refusals: readonly RefusalCode[];
  readonly example: { readonly input: Input; readonly output: Output };
  /**
   * Whether it may hold its answer for longer than a request takes: until there is news, or all of a file is there. It
   * sees to the time of each look at the log itself (time-budget.ts).
   */
  readonly waits?: true;
  /** Whether its rows can be had as CSV too, by `format`. Tools give JSON alone. */
  readonly alsoAsCsv?: true;
  /** Whether it makes a trial: an account may make so many in a day. */
  readonly makesTrial?: true;
  /** For public reads: how long the answer may be kept, in seconds. */
  readonly cacheSeconds?: number;
}

export interface PublicOperation<Input, Output> extends OperationBase<Input, Output> {
  readonly scope: null;
  readonly run: (input: Input, call: Call, services: Services) => Promise<Outcome<Output>>;
}

export interface KeyedOperation<Input, Output> extends OperationBase<Input, Output> {
  readonly scope: NeededScope;
  /** A scope that opens it as well; the operation itself tells what each lets its holder see. */
  readonly orScope?: Scope;
  /**
   * For operations of the Data API: what a call counts against of the account's plan. `quota` is the month and the
   * minute, `minute` that alone. A call that fails on our side, or has nothing new for its caller, is given back.
   */
  readonly metered?: 'quota' | 'minute';
  readonly run: (input: Input, call: KeyedCall, services: Services) => Promise<Outcome<Output>>;
}

export type Operation<Input, Output> = PublicOperation<Input, Output> | KeyedOperation<Input, Output>;

/** Checks an operation's literal against its schemas and keeps its type. */
export function defineOperation<Input, Output>(
  operation: PublicOperation<Input, Output>,
): PublicOperation<Input, Output>;
export function defineOperation<Input, Output>(
  operation: KeyedOperation<Input, Output>,
): KeyedOperation<Input, Output>;
export function defineOperation<Input, Output>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}
