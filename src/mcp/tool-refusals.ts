/**
 * Refusals as models read them: a tool result that says what happened and what to do next. It carries no structured
 * content, which would have to be what the tool promises on success.
 */
import { refusedEnvelope } from '../calling/envelope.ts';
import type { Refusal, RefusalCode } from '../operations/refusals.ts';

/** What to do next. The compiler keeps the table complete. */
export const NEXT_STEP: Readonly<Record<RefusalCode, string>> = {
  invalid_request: 'Correct the arguments named in error.details, then call again.',
  invalid_json: 'Send well-formed JSON.',
  invalid_cursor:
    'Call again without cursor and start from the first page; keep all other arguments unchanged while paging.',
  api_key_missing:
    'This tool needs an API key. Ask the user to put one into the settings of this client: as the header Authorization: Bearer <key>, or as BOURSE_API_KEY for `bourse mcp`.',
  api_key_invalid:
    'The key is mistyped, unknown or revoked. Ask the user for a valid one; calling again with this one cannot help.',
  payment_required: 'Ask the user to pay as error.details says.',
  mandate_denied:
    'Do not call again unchanged. Tell the user which limit denied it and what error.mandateState says is left.',
  scope_missing: 'The key may not do this. Ask the user for a key with the scope that the message names.',
  plan_required:
    'The account of the key has no plan of the Data API that includes this. Tell the user; calling again cannot help.',
  allowance_exceeded: 'Ask for less, as error.details says, or tell the user.',
  forbidden: 'Do not call again. Tell the user.',
  not_found:
    'Check the spelling, or find the right slug with search_agents or search_bundles, the right id with search_models. A job is shown only to the account that made it.',
  method_not_allowed: 'Use one of the methods that the message names.',
  request_timeout: 'Call again with the same arguments (and the same idempotencyKey).',
  conflict: 'The present state does not allow it. Choose another agent, or tell the user.',
  signature_invalid: 'Sign the message again with the present time.',
  precondition_failed: 'Ask without the condition.',
  range_not_satisfiable: 'Ask for a range within the file.',
  cursor_expired: 'Call again without after, and read everything anew.',
  job_state: 'Read the job with get_job_status and go on from the state it is in.',
  price_changed:
    'The trial costs more than maxAmountCents. Ask the user whether the price in error.details is acceptable, then call again with a higher maxAmountCents and a new idempotencyKey.',
  idempotency_in_progress:
    'Wait a second, then call again with the same idempotencyKey and the same arguments.',
  body_too_large: 'Shorten the arguments: brief to 8000 characters, inputs to 64 KiB.',
  unsupported_media_type: 'Send application/json.',
  key_unworkable: 'Correct the fields named in error.details.',
  idempotency_mismatch:
    'This idempotencyKey belongs to other arguments. To repeat that call, send exactly its arguments; for a new trial, choose a new key.',
  rate_limited: 'Wait for the seconds the message names, then call again.',
  quota_exceeded: 'Wait until the quota begins anew, or tell the user.',
  internal:
    'Call again once with the same arguments (and the same idempotencyKey). If it fails again, tell the user the request id.',
  unavailable: 'Wait a few seconds, then call again with the same arguments (and the same idempotencyKey).',
};

/** For `mandate_denied`, by its reason: who can change what. */
const AFTER_DENIAL: Readonly<Record<string, string>> = {
  mandate_revoked: 'This key spends no more. Ask the user for another key.',
  mandate_suspended: 'Ask the user to resume the mandate, then call again with the same idempotencyKey.',
  mandate_not_yet_valid: 'Wait until the mandate begins, then call again with the same idempotencyKey.',
  mandate_expired: 'Ask the user to extend the mandate, then call again with the same idempotencyKey.',
  action_not_allowed:
    'Ask the user to allow the action in the mandate, then call again with the same idempotencyKey.',
  payee_not_allowed:
    'Choose an agent or agency that the mandate allows (error.details), or ask the user to allow this one.',
  transaction_cap:
    'Choose an agent whose trial costs no more than error.mandateState.maxPerTransactionCents, or ask the user to raise the cap and call again with the same idempotencyKey.',
  spend_count:
    'No more trials this calendar month (UTC). Ask the user to allow more, or wait for the next month.',
  monthly_cap:
    'Choose an agent whose trial costs no more than error.mandateState.remainingThisPeriodCents, ask the user to raise the cap and call again with the same idempotencyKey, or wait for the next calendar month (UTC).',
};

/** The whole result, as JSON: first for the reader, then the error exactly as REST answers it. */
export function refusedResult(refusal: Refusal, requestId: string): string {
  const text = `${refusal.code}: ${refusal.message}\nWhat to do: ${nextStep(refusal)}`;
  const content = [text, refusedEnvelope(refusal, requestId)].map((block) => ({ type: 'text', text: block }));
  return JSON.stringify({ content, isError: true });
}

function nextStep({ code, reason, retryAfterSeconds }: Refusal): string {
  const step = (code === 'mandate_denied' && reason !== undefined && AFTER_DENIAL[reason]) || NEXT_STEP[code];
  return retryAfterSeconds === undefined
    ? step
    : `${step} Try again after ${Math.ceil(retryAfterSeconds)} s.`;
}
