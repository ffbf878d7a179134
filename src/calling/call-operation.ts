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
  const call = new OperationCall(caller, holder, identity, request, input.text, untilMs);
  const invoked = await target.invoke(input.value, call, services, input.fieldErrors);
  if (!('fieldErrors' in invoked)) return invoked;
  return { ok: false, refusal: request.refuseInput(invoked.fieldErrors, input) };
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

/** The call that an operation is given. A class, so that each call is one object and its signal is made for those alone who wait. */
class OperationCall implements Call {
  readonly caller: KeyHolder | null;
  readonly requestId: string;
  readonly at: string;
  readonly commandId: string;
  readonly untilMs: number;
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
    untilMs: number,
  ) {
    this.#from = from;
    this.requestId = from.requestId;
    this.at = from.at;
    this.caller = caller;
    this.commandId = commandId;
    this.untilMs = untilMs;
    if (requestHash !== undefined) this.requestHash = requestHash;
    if (has !== undefined) this.has = has;
    if (text !== undefined) this.text = text;
    if (upload !== undefined) this.upload = upload;
    if (isMonitor !== undefined) this.isMonitor = isMonitor;
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
}
