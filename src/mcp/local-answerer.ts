/** Answers messages from this process's own market, for one user who sits before it. */
import { authenticate, type Credential } from '../calling/authenticate.ts';
import { type CallerContext, UNLIMITED } from '../calling/caller.ts';
import { moveToNow } from '../calling/admission.ts';
import { randomUUID } from 'node:crypto';
import { freshId } from '../../events/ids.ts';
import { faultOfParsed } from '../calling/strict-json.ts';
import { errorText, idOf, INVALID_REQUEST, PARSE_ERROR, parseMessage } from './json-rpc.ts';
import { answerRequest, type Mcp, renderAnswer } from './methods.ts';
import { negotiate } from './revisions.ts';
import type { Answerer } from './stdio.ts';

/** @param apiKey that stdio has no header for; from the command line or the environment */
export function localAnswerer(mcp: Mcp, apiKey: string | undefined): Answerer {
  return async (value, signal) => {
    // The SDK's transport has parsed it: over HTTP the same is looked at as closely.
    const fault = faultOfParsed(value);
    if (fault !== null) return errorText(idOf(value), { code: PARSE_ERROR, message: fault });
    const message = parseMessage(value);
    if (message === null) {
      return errorText(idOf(value), { code: INVALID_REQUEST, message: 'This is not a JSON-RPC 2.0 message' });
    }
    if (message.kind !== 'request') return null;
    const negotiated = negotiate(message, null);
    if (!negotiated.ok) return errorText(message.id, negotiated.error);
    const answer = await answerRequest(mcp, message, negotiated.generation, localCaller(mcp, apiKey, signal));
    return renderAnswer(mcp, message.id, answer, negotiated.generation);
  };
}

/** The key is looked at anew each time: it may be revoked. */
function localCaller({ services }: Mcp, apiKey: string | undefined, signal: AbortSignal): CallerContext {
  const at = new Date().toISOString();
  const moment = { at, steadyMs: performance.now() };
  const credential: Credential = apiKey === undefined ? 'none' : { apiKey };
  return {
    requestId: freshId('request', at, randomUUID()),
    get at() {
      return moment.at;
    },
    signal,
    limits: UNLIMITED,
    sendsKey: apiKey !== undefined,
    authenticate: () => authenticate(services, credential, moment.at),
    moveToNow: () => moveToNow(moment, Date.now),
  };
}
