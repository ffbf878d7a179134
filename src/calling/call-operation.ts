/**
 * The one way from a caller to an operation. Every edge (REST, pages, MCP) says who calls and what was sent; what is true
 * of every call happens here, in this order.
 */
import { logFailure } from '../logging/failures.ts';
import type { Log } from '../logging/log.ts';
import type { Call, KeyHolder, NeededScope, Outcome, Upload } from '../operations/operation.ts';
import { scopeMissing } from '../operations/scope-missing.ts';
import type { Refusal, Refused } from '../operations/refusals.ts';
import type { Services } from '../operations/services.ts';
import { afterFailures, countRequest, demandOf, giveBackUnsent } from './admission.ts';
import { type Callable, lackedScope } from './callable.ts';
import type { CallRequest } from './call-request.ts';
import type { CallerContext } from './caller.ts';
import { refusalFor } from './failure.ts';
import { createFairTurns } from './fair-turns.ts';
import { type CommandIdentity, identify } from './idempotency.ts';
import { afterMeteredFailure, type Charge, charged, countMetered, nothingLeft } from './metered-call.ts';

/** What running operations takes, the same for every call. */
export interface CallingParts {
  readonly services: Services;
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>;
}

const turns = createFairTurns();

/** The operation's outcome for this call. Never throws: what failed is logged and refused. */
export async function callOperation(
  target: Callable,
  request: CallRequest,
  caller: CallerContext,
  parts: CallingParts,
): Promise<Outcome<unknown>> {
  const { log } = parts;
  const { requestId } = caller;
  const isMetered = target.operation.metered !== undefined;
  // Until the call is counted nobody can say more, whatever fails.
  if (isMetered) caller.limits.tell(nothingLeft(caller.at));
  try {
    const outcome = await takeSteps(target, request, caller, parts);
    if (outcome.ok) return outcome;
    const after = isMetered ? afterMeteredFailure : afterFailures;
    return { ok: false, refusal: await after(caller, outcome.refusal) };
  } catch (error) {
    logFailure(log, error, { requestId, operation: target.operation.name }, 'operation failed');
    return { ok: false, refusal: refusalFor(error, requestId) };
  }
}

async function takeSteps(
  target: Callable,
  request: CallRequest,
  caller: CallerContext,
  { services, log }: CallingParts,
): Promise<Outcome<unknown>> {
  const counted = countByAddress(request, caller);
  const tooOften = counted === null ? null : await counted;
  if (tooOften !== null) return { ok: false, refusal: tooOften };
  const { scope } = target.operation;
  const beganMs = performance.now();
  const admitted = scope === null ? ANYBODY : await admitHolder(scope, target, request, caller, services);
  if (!admitted.ok) return admitted;
  const usedMs = performance.now() - beganMs;
  const { charge } = admitted;
  const known: KnownCaller = { holder: admitted.holder, usedMs };
  // To await costs two turns of the promises less than to hand one on.
  if (charge === undefined) return await callAdmitted(target, request, caller, known, services);
  const fields = { requestId: caller.requestId, operation: target.operation.name };
  return charged(
    charge,
    request,
    caller,
    () => callAdmitted(target, request, caller, known, services),
    (error) => logFailure(log, error, fields, 'quota was not given back'),
  );
}

interface KnownCaller {
  readonly holder: KeyHolder | null;
  /** How long it took to know who calls and whether they may. */
  readonly usedMs: number;
}

async function callAdmitted(
  target: Callable,
  request: CallRequest,
  caller: CallerContext,
  { holder, usedMs }: KnownCaller,
  services: Services,
): Promise<Outcome<unknown>> {
  // Reads without a key are few: their address has a limit.
  if (caller.sendsKey && target.operation.kind === 'query') {
    const turn = turns.turnOf(caller.asker ?? '');
    if (turn !== undefined) await turn;
  }
  const input = await request.read((came) => {
    if (holder !== null)
      giveBackUnsent(caller.limits, holder, target, { announced: request.bodyBytes, came });
  });
  if (!input.ok) return input;
  const identity = identify(input.idempotencyKey, target.operation, holder, input.value);
  const untilMs = performance.now() + services.logMs - usedMs;
  const { text } = input;
  const call = new OperationCall({ target, from: caller, holder, identity, text, untilMs }, request);
  // The body may have come slowly, or a turn late.
  const askedAgain = call.refusalNow();
  const refused = askedAgain === null ? null : await askedAgain;
  if (refused !== null) return refused;
  try {
    const invoked = await target.invoke(input.value, call, services, input.fieldErrors);
    if (!('fieldErrors' in invoked)) return invoked;
    return { ok: false, refusal: request.refuseInput(invoked.fieldErrors, input) };
  } catch (error) {
    if (call.refused !== null) return call.refused;
    throw error;
  }
}

/** The limits of callers without a key. */
function countByAddress(
  { countsReads, hasOurToken }: CallRequest,
  caller: CallerContext,
): Promise<Refusal | null> | null {
  if (countsReads) return countRequest(caller);
  if (hasOurToken === undefined) return null;
  if (hasOurToken) return caller.limits.countPost();
  return caller.limits.countFailure(NOTHING_HERE).then(({ refusal }) => refusal);
}

const NOTHING_HERE: Refusal = { code: 'not_found', message: 'There is nothing at this address.' };

/** Key, scope and the limits of the account. */
async function admitHolder(
  scope: NeededScope,
  target: Callable,
  request: CallRequest,
  caller: CallerContext,
  { metering }: Pick<Services, 'metering'>,
): Promise<Admitted | Refused> {
  const { orScope, metered } = target.operation;
  const authentication = await caller.authenticate();
  if (!authentication.ok) return authentication;
  const holder = authentication.caller;
  const lacking = lackedScope({ scope, orScope }, holder);
  if (metered !== undefined) {
    const counted = await countMetered(target, request, holder, caller, metering);
    // Of a key that may not ask at all, it is told that first; a plan would not help it.
    if (lacking !== null && (counted.ok || counted.refusal.code === 'plan_required'))
      return scopeMissing(lacking, holder);
    return counted;
  }
  const refusal = caller.limits.countAccount(holder, demandOf(target, request, lacking === null));
  if (refusal !== null) return { ok: false, refusal };
  return lacking === null ? { ok: true, holder } : scopeMissing(lacking, holder);
}

interface Admitted {
  readonly ok: true;
  readonly holder: KeyHolder | null;
  /** What was counted against the plan of the account, where the operation counts against it. */
  readonly charge?: Charge;
}

const ANYBODY: Admitted = { ok: true, holder: null };

interface CallFacts {
  readonly target: Pick<Callable, 'operation'>;
  readonly from: CallerContext;
  /** Whose key it is; null where none is needed. */
  readonly holder: KeyHolder | null;
  readonly identity: CommandIdentity;
  readonly text: string | undefined;
  readonly untilMs: number;
}

/** The call that an operation is given. A class, so that each call is one object and its signal is made for those alone who wait. */
class OperationCall implements Call {
  readonly requestId: string;
  readonly commandId: string;
  readonly untilMs: number;
  declare readonly requestHash?: string;
  declare readonly has?: (revision: string) => boolean;
  declare readonly text?: string;
  declare readonly upload?: Upload;
  declare readonly isMonitor?: boolean;
  readonly #from: CallerContext;
  readonly #target: Pick<Callable, 'operation'>;
  #holder: KeyHolder | null;
  #refused: Refused | null = null;

  constructor(
    { target, from, holder, identity: { commandId, requestHash }, text, untilMs }: CallFacts,
    { has, upload, isMonitor }: Pick<CallRequest, 'has' | 'upload' | 'isMonitor'>,
  ) {
    this.#from = from;
    this.#target = target;
    this.#holder = holder;
    this.requestId = from.requestId;
    this.commandId = commandId;
    this.untilMs = untilMs;
    if (requestHash !== undefined) this.requestHash = requestHash;
    if (has !== undefined) this.has = has;
    if (text !== undefined) this.text = text;
    if (upload !== undefined) this.upload = { ...upload, bytes: this.#untilRefused(upload.bytes) };
    if (isMonitor !== undefined) this.isMonitor = isMonitor;
  }

  get caller(): KeyHolder | null {
    return this.#holder;
  }

  get at(): string {
    return this.#from.at;
  }

  get asker(): string | undefined {
    return this.#from.asker;
  }

  get hasKey(): boolean {
    return this.#from.sendsKey;
  }

  get signal(): AbortSignal {
    return this.#from.signal;
  }

  /** What an upload failed with because its caller may not any more; null where that is not so. */
  get refused(): Refused | null {
    return this.#refused;
  }

  refusalNow(): Promise<Refused | null> | null {
    return this.#from.moveToNow() && this.#holder !== null ? this.#askAgain() : null;
  }

  async #askAgain(): Promise<Refused | null> {
    const authentication = await this.#from.authenticate();
    if (!authentication.ok) return authentication;
    const { scope, orScope } = this.#target.operation;
    const { caller } = authentication;
    const lacking = scope === null ? null : lackedScope({ scope, orScope }, caller);
    if (lacking !== null) return scopeMissing(lacking, caller);
    this.#holder = caller;
    return null;
  }

  /** They fail before they are whole where the caller may not any more, as if the sender had gone: nothing is made of them. */
  async *#untilRefused(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    yield* bytes;
    this.#refused = (await this.refusalNow()) ?? null;
    if (this.#refused !== null) throw new Error(this.#refused.refusal.message);
  }
}
