/** A call as it comes over HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, KeyHolder, Upload } from '../operations/operation.ts';
import { entityTag, matchesTag } from './entity-tag.ts';
import type { CommandIdentity } from '../calling/idempotency.ts';

export interface HttpCallExtras {
  readonly ifNoneMatch?: string | undefined;
  readonly text?: string | undefined;
  readonly upload?: Upload | undefined;
  readonly isMonitor?: boolean | undefined;
}

/** The body of a request as a file on its way. */
export function uploadOf(req: IncomingMessage): Upload {
  const length = req.headers['content-length'];
  return { bytes: req, sizeBytes: length === undefined ? null : Number(length) };
}

export class HttpCall implements Call {
  readonly caller: KeyHolder | null;
  readonly requestId: string;
  readonly at: string;
  readonly commandId: string;
  declare readonly requestHash?: string;
  declare readonly has?: (revision: string) => boolean;
  declare readonly text?: string;
  declare readonly upload?: Upload;
  declare readonly isMonitor?: boolean;
  readonly #res: ServerResponse;
  #signal: AbortSignal | undefined;

  constructor(
    res: ServerResponse,
    requestId: string,
    at: string,
    caller: KeyHolder | null,
    identity: CommandIdentity,
    { ifNoneMatch, text, upload, isMonitor }: HttpCallExtras = {},
  ) {
    this.#res = res;
    this.requestId = requestId;
    this.at = at;
    this.caller = caller;
    this.commandId = identity.commandId;
    if (identity.requestHash !== undefined) this.requestHash = identity.requestHash;
    if (ifNoneMatch !== undefined) this.has = (revision) => matchesTag(ifNoneMatch, entityTag(revision, ''));
    if (text !== undefined) this.text = text;
    if (upload !== undefined) this.upload = upload;
    if (isMonitor !== undefined) this.isMonitor = isMonitor;
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
