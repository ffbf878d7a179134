/** Who calls an operation, as the edge knows it by which the call came: REST, a page, MCP over HTTP or stdio. */
import type { KeyHolder } from '../operations/operation.ts';
import type { Refusal } from '../operations/refusals.ts';
import type { Demand } from './account-limits.ts';
import type { Authentication } from './authenticate.ts';
import type { LimitState } from './limits.ts';

export interface CallerContext {
  readonly requestId: string;
  /** Now, RFC 3339; later once it has moved. */
  readonly at: string;
  /** Aborted when the caller has gone or takes the call back. */
  readonly signal: AbortSignal;
  /**
   * Whose turn it is where calls wait for one another: the account of the key, once that was authenticated, or the
   * address. Absent for callers of this machine.
   */
  readonly asker?: string | undefined;
  /** Whether a key was sent, good or not. */
  readonly sendsKey: boolean;
  /** Whose key was sent. */
  authenticate(): Promise<Authentication>;
  /** Where time has passed since, makes `at` now and has `authenticate` look at the key anew; whether it did. */
  moveToNow(): boolean;
  readonly limits: CallerLimits;
}

/** The limits that this caller is counted against; each refuses once it is reached. */
export interface CallerLimits {
  /** Counts what a call asks for against the account of its key. */
  countAccount(caller: KeyHolder, demand: Demand): Refusal | null;
  /** Takes back what was counted above the bytes that came; nothing where no more was. */
  giveBack(caller: KeyHolder, bytes: number): void;
  /** Counts a read without a key against the address that it came from. */
  countRead(): Promise<Refusal | null>;
  /** The same for a post whose credential stands in its address. */
  countPost(): Promise<Refusal | null>;
  /** Counts a credential that is not ours: gives `refusal`, until there have been too many from this address. */
  countFailure(refusal: Refusal): Promise<CountedFailure>;
  /** Keeps how limits stand that were counted elsewhere, for the edge to tell. */
  tell(states: readonly LimitState[]): void;
}

export interface CountedFailure {
  /** How many more there may be. */
  readonly states: readonly LimitState[];
  readonly refusal: Refusal;
}

/** For callers who sit at the machine: nobody else can come that way. */
export const UNLIMITED: CallerLimits = {
  countAccount: () => null,
  giveBack: () => undefined,
  countRead: () => Promise.resolve(null),
  countPost: () => Promise.resolve(null),
  countFailure: (refusal) => Promise.resolve({ states: [], refusal }),
  tell: () => undefined,
};
