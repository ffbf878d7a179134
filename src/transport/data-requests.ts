/**
 * What is asked of the Data API beside its operations: other addresses and methods, OPTIONS, and requests that are none.
 * Each of its answers says how the account stands, and these do too.
 */
import { callable } from '../calling/callable.ts';
import { callOperation } from '../calling/call-operation.ts';
import type { CallRequest } from '../calling/call-request.ts';
import { refusalFor } from '../calling/failure.ts';
import { noQuota } from '../calling/metered-call.ts';
import { logFailure } from '../logging/failures.ts';
import { unknownDataAddress } from '../operations/plans/unknown-data-address.ts';
import type { Refusal } from '../operations/refusals.ts';
import type { Exchange } from './exchange.ts';
import { HttpCaller } from './http-caller.ts';
import { sendNothing, sendRefusal } from './send.ts';

const DATA_API = /^(?:https?:\/\/[^/?]*)?\/api\/v1(?:[/?]|$)/i;

export function isOfDataApi(url = ''): boolean {
  return DATA_API.test(url);
}

const unknownData = callable(unknownDataAddress);
/** What a method is asked about costs no quota. */
const askedMethods = callable({ ...unknownDataAddress, metered: 'minute' });

/** Refuses what a key may have been sent with: it counts like every other request, and a bad key is told first. */
export async function refuseDataRequest(exchange: Exchange, refusal: Refusal): Promise<void> {
  const outcome = await callOperation(
    unknownData,
    refusedAs(refusal),
    new HttpCaller(exchange),
    exchange.context,
  );
  if (!outcome.ok) sendRefusal(exchange, outcome.refusal);
}

/** Refuses what has no key that could be told for certain: it counts against its address. */
export function refuseBrokenDataRequest(exchange: Exchange, refusal: Refusal): Promise<void> {
  return answer(exchange, async (caller) => {
    const counted = await caller.limits.countFailure(refusal);
    exchange.limits = [...counted.states, noQuota(exchange.at)];
    return counted.refusal;
  });
}

/** Answers OPTIONS, which needs no key: without one it counts as a read of its address. */
export function answerDataOptions(exchange: Exchange): Promise<void> {
  return answer(exchange, async (caller) => {
    if (caller.sendsKey) {
      const outcome = await callOperation(askedMethods, refusedAs(ANSWERED), caller, exchange.context);
      return outcome.ok || outcome.refusal === ANSWERED ? null : outcome.refusal;
    }
    const refusal = await caller.countRead();
    exchange.limits = [...exchange.limits, noQuota(exchange.at)];
    return refusal;
  });
}

/** What comes of the call is no refusal at all: that it was let through is what was to be known. */
const ANSWERED: Refusal = { code: 'not_found', message: 'There is nothing to do here.' };

function refusedAs(refusal: Refusal): CallRequest {
  return {
    requests: 1,
    bodyBytes: 0,
    countsReads: false,
    read: () => ({ ok: false, refusal }),
    refuseInput: () => refusal,
  };
}

async function answer(
  exchange: Exchange,
  refusalOf: (caller: HttpCaller) => Promise<Refusal | null>,
): Promise<void> {
  const { context, requestId, operation } = exchange;
  const refusal = await refusalOf(new HttpCaller(exchange)).catch((error: unknown) => {
    logFailure(context.log, error, { requestId, operation }, 'operation failed');
    return refusalFor(error, requestId);
  });
  if (refusal === null) sendNothing(exchange);
  else sendRefusal(exchange, refusal);
}
