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

/** The receiver could not be reached, or would not take it; it is tried again. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered';
}

export interface Fetcher {
  /** Posts once. Redirects are answers like any other and are not followed. */
  post(request: OutgoingPost): Promise<PostOutcome>;
  close(): Promise<void>;
}
