/**
 * The keys that the texts of accounts are encrypted with. They are primary data: what is encrypted with a key that is
 * lost is lost with it. An erased key is never replaced, so that what was written with it stays unreadable.
 */

/** 256 bits. */
export const ACCOUNT_KEY_BYTES = 32;

export type FoundKey = { readonly key: Uint8Array } | 'erased' | 'absent';

export interface AccountKeys {
  /**
   * The account's key; made where there is none. It is durable when this resolves, and the same for all who ask.
   * @throws {AccountKeysUnavailable}
   */
  readonly keyFor: (accountId: string) => Promise<Exclude<FoundKey, 'absent'>>;
  /** What there is, durable. @throws {AccountKeysUnavailable} */
  readonly find: (accountId: string) => Promise<FoundKey>;
  /** For ever, and durable when this resolves; of an account that has none yet, too. @throws {AccountKeysUnavailable} */
  readonly erase: (accountId: string) => Promise<void>;
  /**
   * Whoever remembers keys forgets them when he is told: the store was taken away, nobody could read what is written with
   * a key that no store holds, and the store itself is to be asked. Told again and again until it is back. Absent where a
   * store cannot be taken away from under its process.
   */
  readonly onTakenAway?: (forget: () => void) => void;
  readonly close: () => Promise<void>;
}

/** They cannot be read or written now. Nothing was done. */
export class AccountKeysUnavailable extends Error {
  override readonly name: string = 'AccountKeysUnavailable';
}

/** The store can be read, and is not the one that the log's texts were encrypted with. */
export class ForeignAccountKeys extends AccountKeysUnavailable {
  override readonly name = 'ForeignAccountKeys';
}
