/** The port to addresses that strangers gave us. It never reaches what is not public, whatever the address seems to say. */

export interface OutgoingPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** Aborted where the answer is not to be waited for any longer. */
  readonly signal?: AbortSignal;
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  /** No answer in time, or no connection. */
  | { readonly kind: 'failed'; readonly error: string }
  /** The signal was aborted first: whether it arrived is not known. */
  | { readonly kind: 'stopped' }
  /** The address is none that we send to: not https, or not public at the time of connecting. */
  | { readonly kind: 'forbidden'; readonly error: string };

export interface OutgoingGet {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export type GetOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Whole. */
      readonly body: Uint8Array;
      readonly etag: string | null;
      readonly contentType: string | null;
      readonly retryAfterMs: number | null;
    }
  /** The answer began, and its connection broke off before its end. */
  | { readonly kind: 'cut_short'; readonly error: string }
  /** The answer has more bytes than are wanted. */
  | { readonly kind: 'too_large' }
  /** No answer in time (`isLate`), or no connection. */
  | { readonly kind: 'failed'; readonly error: string; readonly isLate: boolean }
  | Extract<PostOutcome, { kind: 'stopped' | 'forbidden' }>;

/** The receiver could not be reached, or would not take it; it is tried again. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered';
}

/** The upstream gave nothing that can be used; what there was stays in service, and it is asked again. */
export class NotRenewed extends Error {
  override readonly name = 'NotRenewed';
}

export interface Fetcher {
  /** Posts once. Redirects are answers like any other and are not followed. */
  post(request: OutgoingPost): Promise<PostOutcome>;
  /** Gets once. Redirects are answers like any other and are not followed. */
  get(request: OutgoingGet): Promise<GetOutcome>;
  close(): Promise<void>;
}
