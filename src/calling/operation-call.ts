/** The call that an operation is given. */
import type { Call, KeyHolder, Upload } from '../operations/operation.ts';
import type { CallerContext } from './caller.ts';
import type { CallRequest } from './call-request.ts';
import type { CommandIdentity } from './idempotency.ts';

/** A class, so that each call is one object and its signal is made for those alone who wait. */
export class OperationCall implements Call {
  readonly caller: KeyHolder | null;
  readonly requestId: string;
  readonly at: string;
  readonly commandId: string;
  declare readonly requestHash?: string;
  declare readonly has?: (revision: string) => boolean;
  declare readonly text?: string;
  declare readonly upload?: Upload;
  declare readonly isMonitor?: boolean;
  readonly #from: CallerContext;

  constructor(
    from: CallerContext,
    caller: KeyHolder | null,
    { commandId, requestHash }: CommandIdentity,
    { has, upload, isMonitor }: Pick<CallRequest, 'has' | 'upload' | 'isMonitor'>,
    text: string | undefined,
  ) {
    this.#from = from;
    this.requestId = from.requestId;
    this.at = from.at;
    this.caller = caller;
    this.commandId = commandId;
    if (requestHash !== undefined) this.requestHash = requestHash;
    if (has !== undefined) this.has = has;
    if (text !== undefined) this.text = text;
    if (upload !== undefined) this.upload = upload;
    if (isMonitor !== undefined) this.isMonitor = isMonitor;
  }

  get signal(): AbortSignal {
    return this.#from.signal;
  }
}
