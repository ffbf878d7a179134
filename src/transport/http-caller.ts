/** Whoever sent a request: by its Authorization header, its address and its connection. */
import type { Demand } from '../calling/account-limits.ts';
import { type Authentication, authenticate, type Credential } from '../calling/authenticate.ts';
import type { CallerContext, CallerLimits, CountedFailure } from '../calling/caller.ts';
import type { LimitResult, LimitState } from '../calling/limits.ts';
import type { KeyHolder } from '../operations/operation.ts';
import type { Refusal } from '../operations/refusals.ts';
import { clientKey } from './client-address.ts';
import { moveToNow } from '../calling/admission.ts';
import type { Exchange } from './exchange.ts';

/** What the limits say of themselves is kept in the exchange, for the answer's header. */
export class HttpCaller implements CallerContext, CallerLimits {
  readonly #exchange: Exchange;
  readonly #credential: Credential;
  #authentication: Promise<Authentication> | undefined;
  #signal: AbortSignal | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#credential = credentialOf(exchange.req.headers.authorization);
  }

  get asker(): string {
    return this.#exchange.accountId ?? this.#client();
  }

  get sendsKey(): boolean {
    return this.#credential !== 'none';
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get at(): string {
    return this.#exchange.at;
  }

  get limits(): CallerLimits {
    return this;
  }

  /** Made when first asked for: hardly any operation waits, and a signal costs more than a point read. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const { res } = this.#exchange;
    const controller = new AbortController();
    if (res.closed) controller.abort();
    else res.once('close', () => controller.abort());
    return (this.#signal = controller.signal);
  }

  moveToNow(): boolean {
    const hasMoved = moveToNow(this.#exchange, this.#exchange.context.now);
    if (hasMoved) this.#authentication = undefined;
    return hasMoved;
  }

  /** One header, one look at it in a moment, however many calls the request holds. */
  authenticate(): Promise<Authentication> {
    return (this.#authentication ??= this.#authenticate());
  }

  async #authenticate(): Promise<Authentication> {
    const { context, at } = this.#exchange;
    const authentication = await authenticate(context.services, this.#credential, at);
    if (authentication.ok) {
      this.#exchange.keyId = authentication.caller.keyId;
      this.#exchange.accountId = authentication.caller.accountId;
    }
    return authentication;
  }

  countAccount({ accountId }: KeyHolder, demand: Demand): Refusal | null {
    const { context } = this.#exchange;
    return this.#note(context.accountLimits(accountId, demand, context.now()));
  }

  /** To read a body takes its time: at the moment of the request a later window would look like a clock set back. */
  giveBack({ accountId }: KeyHolder, bytes: number): void {
    const { context } = this.#exchange;
    if (bytes > 0) context.accountLimits(accountId, { requests: 0, trials: 0, bytes: -bytes }, context.now());
  }

  async countRead(): Promise<Refusal | null> {
    const { context } = this.#exchange;
    return this.#note(await context.addressLimits.read(this.#client(), context.now()));
  }

  countPost(): Promise<Refusal | null> {
    const { context } = this.#exchange;
    return context.addressLimits.posted(this.#client(), context.now());
  }

  countFailure(refusal: Refusal): Promise<CountedFailure> {
    const { context } = this.#exchange;
    return context.addressLimits.failed(this.#client(), context.now(), refusal);
  }

  tell(states: readonly LimitState[]): void {
    this.#exchange.limits = states;
  }

  #client(): string {
    const { context, req } = this.#exchange;
    return clientKey(req, context.trustProxyHops);
  }

  #note({ states, refusal }: LimitResult): Refusal | null {
    this.#exchange.limits = states;
    return refusal;
  }
}

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const NO_KEY = /^\s*(?:bearer\s*)?$/i;

/** The key that a header presents; a bare `Bearer` is what clients send whose variable for the key is empty. */
export function credentialOf(header: string | undefined): Credential {
  if (header === undefined || NO_KEY.test(header)) return 'none';
  const apiKey = BEARER.exec(header)?.[1];
  return apiKey === undefined ? 'malformed' : { apiKey };
}
