/** A call as it comes over HTTP. */
import type { ServerResponse } from 'node:http';
import type { Call, KeyHolder } from '../operations/operation.ts';
import type { CommandIdentity } from './idempotency.ts';

export class HttpCall implements Call {
  readonly caller: KeyHolder | null;
  readonly requestId: string;
  readonly at: string;
  readonly commandId: string;
  declare readonly requestHash?: string;
  readonly #res: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(
    res: ServerResponse,
    requestId: string,
    at: string,
    caller: KeyHolder | null,
    identity: CommandIdentity,
  ) {
    this.#res = res;
    this.requestId = requestId;
    this.at = at;
    this.caller = caller;
    this.commandId = identity.commandId;
    if (identity.requestHash !== undefined) this.requestHash = identity.requestHash;
  }

  /** Made when first asked for: hardly any operation waits, and a signal costs more than a point read. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal;
    const controller = new AbortController();
    if (this.#res.closed) controller.abort();
    else this.#res.once('close', () => controller.abort());
    this.#signal = controller.signal;
    return this.#signal;
  }
}
