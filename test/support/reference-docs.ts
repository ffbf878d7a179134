/** The text of docs/limits.md and docs/errors.md, made from what the code goes by. */
import { MAX_EVIDENCE } from '../../commands/agent/submit-evidence.ts';
import { MAX_ATTACHMENTS } from '../../commands/job/attach-artifact.ts';
import { MAX_CHANGES_A_DAY } from '../../commands/changes-a-day.ts';
import { MAX_SECRETS } from '../../commands/overlapping-secrets.ts';
import { DENIAL_REASONS, type DenialReason } from '../../events/mandate-events.ts';
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../../src/transport/body.ts';
import { MAX_FIELD_ERRORS } from '../../src/calling/field-errors.ts';
import { REFUSAL_STATUS, RETRY_AFTER_DEFAULT_SECONDS } from '../../src/transport/refusal-status.ts';
import { USUAL_BODY_KIB } from '../../src/transport/route.ts';
import { routes } from '../../src/http/routes.ts';
import { LEAST_AVERAGE_BYTES, MAX_SMALL_CHUNKS } from '../../src/transport/joined-chunks.ts';
import { MAX_DEPTH, MAX_MEMBERS, MAX_VALUES } from '../../src/calling/strict-json.ts';
import { limitSettings } from '../../src/settings/limit-settings.ts';
import { MAX_CHARACTERS } from '../../src/mcp/batch-room.ts';
import { MOST_WAITING, REQUESTS_A_ROUND, TOO_MANY_WAITING } from '../../src/serving/request-turns.ts';
import { MAX_BATCH, MAX_BODY_BYTES_WITHOUT_KEY } from '../../src/mcp/streamable-http.ts';
import { MAX_ARTIFACT_BYTES } from '../../src/operations/artifacts/artifact-schema.ts';
import { FUNDING_MS } from '../../src/operations/jobs/draft-job.ts';
import { MAX_KEYS } from '../../src/operations/keys/allot-key.ts';
import { DENIALS } from '../../src/operations/mandates/refuse-spend.ts';
import { MAX_PAGE_BYTES, MAX_SEARCH_WORDS } from '../../src/operations/list-page.ts';
import { SUMMED_BYTES_PER_MINUTE } from '../../src/operations/jobs/get-spending.ts';
import { MAX_LOOKED_AT, MAX_LOOKED_AT_BYTES } from '../../src/operations/jobs/list-jobs.ts';
import { RECORDS_PER_MINUTE } from '../../src/operations/records/ingest-record.ts';
import { SENT_AT_WORD_EVERY_MS } from '../../src/operations/webhooks/spacing.ts';
import { REFUSAL_CODES, type RefusalCode } from '../../src/operations/refusals.ts';
import { DENIAL_EVERY_MS, DENIALS_AT_ONCE } from '../../src/commanding/denial-log.ts';
import { MAX_GROUPS } from '../../src/operations/plans/get-usage-history.ts';
import { MAX_UNDER_WAY } from '../../src/operations/under-way.ts';
import { MAX_WAITERS } from '../../src/following/stream-watch.ts';

const KIB = 1_024;
const MIB = KIB * KIB;
const HOUR_MS = 60 * 60 * 1_000;

export function limitsDocs(): string {
  const settings = Object.values(limitSettings).map(
    ({ name, default: value, description }) => `| \`${name}\` | ${value} | ${description} |`,
  );
  return `# Limits

What one client, key, account or agency may ask for, made from the code by \`npm run docs:limits\`. What a single field may
hold stands in the [description of the API](../openapi.json).

Whoever is over a limit of a time is refused with 429 \`rate_limited\`, and told in \`Retry-After\` when it is free again;
\`RateLimit-Policy\` and \`RateLimit\` tell before that what there is and what is left: \`public\` of the address, \`account\` and
\`trials\` of the account whose key was sent. A body in chunks counts as large as it may be until it was read, then as
large as it was. Whoever has as many of something as there may be is refused with 409
\`conflict\`. Both messages say the limit.

## Set by whoever runs the service

| Setting | Default | |
|---|---|---|
${settings.join('\n')}

## Fixed

| What | How much |
|---|---|
${fixed()
  .map(([what, howMuch]) => `| ${what} | ${howMuch} |`)
  .join('\n')}

## Where several processes run

| Counted | Limits |
|---|---|
| for all processes together, in Redis (while it is away, by each process for itself) | \`PUBLIC_RATE_LIMIT\`, \`FAILED_CREDENTIAL_LIMIT\`, \`RECORD_RATE_LIMIT\`, records of one job in a minute |
| for all processes together, in the log | \`MAX_WEBHOOK_ENDPOINTS\`, \`MAX_LISTINGS\`, \`DAILY_PROFILE_CHANGES\`, \`DAILY_BUNDLE_VERSIONS\`, keys, secrets, files of a job |
| by each process for itself, from nothing when it starts: N processes allow up to N times as much | \`ACCOUNT_RATE_LIMIT\`, \`ACCOUNT_DAILY_TRIALS\`, \`ACCOUNT_DAILY_MIB\`, \`MAX_WAITING_REQUESTS\`, \`MAX_DELIVERIES\`, \`MAX_CONNECTIONS\`, \`MAX_CONNECTIONS_PER_ADDRESS\`, exports, tests and repetitions of messages, recorded denials |

Limits of an account are no prices: they bound what one account can cost a process. What an account may spend is decided by
its mandates, exactly and for all processes together.

## Bodies

A body is as large as its operation can use: ${USUAL_BODY_KIB} KiB, and more for

| Operation | KiB |
|---|---|
${routes
  .filter(({ readsBody, maxBodyBytes }) => readsBody && maxBodyBytes > USUAL_BODY_KIB * KIB)
  .map(({ method, path, maxBodyBytes }) => `| \`${method} ${path}\` | ${maxBodyBytes / KIB} |`)
  .join('\n')}
`;
}

function fixed(): readonly (readonly [what: string, howMuch: string | number])[] {
  return [
    ['Rows of one page', '100'],
    ['Bytes of the rows of one page; a page that would have more ends before its limit', mib(MAX_PAGE_BYTES)],
    [
      'Documents of jobs that are read for the sums of one account in a minute, in each process; more is waited for',
      mib(SUMMED_BYTES_PER_MINUTE),
    ],
    [
      'Jobs that are looked at for one page, and bytes of them',
      `${MAX_LOOKED_AT}, ${mib(MAX_LOOKED_AT_BYTES)}`,
    ],
    [
      'Address and headers of a request together; more is 431 `invalid_request`',
      `${MAX_HEAD_BYTES / KIB} KiB`,
    ],
    ['Words of one search', MAX_SEARCH_WORDS],
    [
      'Requests that are begun in one round of the event loop; the others wait, and addresses take turns',
      REQUESTS_A_ROUND,
    ],
    ['Requests of one address that wait so before nothing more is read of it', MOST_WAITING],
    ['Requests of one address that wait so; whoever has more under way is let go', TOO_MANY_WAITING],
    ['Time for a body to come', `${BODY_TIMEOUT_MS / 1_000} s`],
    [
      `Chunks of a body; of one that has more they must be of ${LEAST_AVERAGE_BYTES} bytes on the average, else it is 400 \`invalid_request\` and its connection ends`,
      MAX_SMALL_CHUNKS,
    ],
    ['Depth of JSON', `${MAX_DEPTH} levels`],
    ['Values in JSON', MAX_VALUES],
    ['Members of one object in JSON', MAX_MEMBERS],
    ['Faults that one refusal names', MAX_FIELD_ERRORS],
    ['Seconds that a request may wait for a job', '60'],
    ['Requests of all accounts that wait for jobs, for each process', MAX_WAITERS],
    ['Time to pay a draft', `${FUNDING_MS / HOUR_MS} h`],
    ['Time that an `Idempotency-Key` is remembered', 'at least 24 h'],
    ['Records that can be told of one job in a minute', RECORDS_PER_MINUTE],
    ['Files of one job, replaced ones counted', MAX_ATTACHMENTS],
    ['Size of a file', mib(MAX_ARTIFACT_BYTES)],
    ['Pieces of evidence about an agent', MAX_EVIDENCE],
    ['Keys of an account that work, unless an operator set another number', MAX_KEYS],
    ['Changes of an endpoint or of a key in 24 hours', MAX_CHANGES_A_DAY],
    ['Secrets of an endpoint, a job or an account that count at once', MAX_SECRETS],
    [
      'Time between two tests of one endpoint, and two repetitions of one message, in each process',
      `${SENT_AT_WORD_EVERY_MS / 1_000} s`,
    ],
    [
      'Exports of an account that are made at once (mandates, data sets), imports, sums of its spends, and histories of its use, in each process',
      MAX_UNDER_WAY,
    ],
    ['Groups of one answer of `GET /api/v1/usage/history`', MAX_GROUPS],
    [
      'Denials of one mandate that each process records; the next one says how many were left out',
      `${DENIALS_AT_ONCE} at once, then one each ${DENIAL_EVERY_MS / 1_000} s`,
    ],
    ['Messages of an MCP batch', MAX_BATCH],
    ['Answer to an MCP batch', `${MAX_CHARACTERS / KIB} KiB`],
    ['Body of an MCP message', `${MAX_BODY_BYTES / KIB} KiB`],
    ['The same without a good key', `${MAX_BODY_BYTES_WITHOUT_KEY / KIB} KiB`],
  ];
}

function mib(bytes: number): string {
  return `${bytes / MIB} MiB`;
}

/** What whoever wrote the client does about it. The compiler keeps the table complete. */
const WHAT_TO_DO: Readonly<Record<RefusalCode, string>> = {
  invalid_request: 'Correct the fields that `details` names. Sent again unchanged it is refused again.',
  invalid_json: 'Send well-formed JSON in UTF-8.',
  cursor_expired: 'Begin without `after`, into an empty mirror.',
  invalid_cursor: 'Begin without a cursor, and change no filter while paging.',
  api_key_missing: 'Send `Authorization: Bearer <key>`.',
  api_key_invalid: 'Check that the key is whole; ask for a new one if it is. Send none where none is needed.',
  signature_invalid: 'Sign as Standard Webhooks says, with the present time and the secret in force.',
  payment_required: 'Pay as `details` says, and repeat the request.',
  mandate_denied: 'Do not repeat it unchanged: buy for less, or have the mandate amended.',
  scope_missing: 'Use a key that has the scope.',
  plan_required: 'Have the account buy a plan.',
  allowance_exceeded: 'Ask for less, or have the account’s allowance raised.',
  forbidden: 'Have the key or account unfrozen, or ask for a new address.',
  not_found: 'Check the id, and whose key it is.',
  method_not_allowed: 'Use a method that `Allow` names.',
  request_timeout: 'Repeat it with the same `Idempotency-Key`, on a new connection.',
  conflict: 'Read what is there; the message says what stands in the way.',
  job_state: 'Read the job and go on from its state.',
  price_changed: 'Decide whether the new price is acceptable, and send a higher `maxAmountCents`.',
  idempotency_in_progress: 'Repeat it with the same `Idempotency-Key` after `Retry-After`.',
  body_too_large: 'Send less; [limits](limits.md) says how much may be sent where.',
  unsupported_media_type: 'Send the `Content-Type` that the message names, without a content coding.',
  precondition_failed:
    'Look at the file that is there now, and ask again by its `ETag`, or without the condition.',
  range_not_satisfiable: 'Ask for a range within the file.',
  key_unworkable: 'Correct what `details` names: the key could never do it.',
  idempotency_mismatch: 'Choose a new `Idempotency-Key`, or send exactly the first request.',
  rate_limited: 'Wait for `Retry-After`.',
  quota_exceeded: 'Wait for the next period, or have the account buy a larger plan.',
  internal: 'Repeat it once with the same `Idempotency-Key`; report the `requestId` if it fails again.',
  unavailable: 'Repeat it with the same `Idempotency-Key` after `Retry-After`.',
};

export function errorsDocs(): string {
  const rows = REFUSAL_CODES.map((code) => {
    const { status, when } = REFUSAL_STATUS[code];
    return { status, row: `| ${status} | \`${code}\` | ${when} | ${WHAT_TO_DO[code]} |` };
  });
  const retried = REFUSAL_CODES.filter((code) => RETRY_AFTER_DEFAULT_SECONDS[code] !== undefined);
  return `# Errors

Every way in which the API says no, made from the code by \`npm run docs:limits\`. An answer that is no has
\`error.code\`, \`error.message\` for people, \`error.requestId\` to quote, and \`error.details\`, a list of
\`{path, message, reason?, limit?, value?}\`. Go by the code: messages change. Which codes an operation may answer with
stands in the [description of the API](../openapi.json) under \`x-refusal-codes\`. MCP answers with the same codes.

\`Retry-After\` comes with ${retried.map((code) => `\`${code}\``).join(', ')}.

| Status | Code | When | What to do |
|---|---|---|---|
${rows
  .toSorted((a, b) => a.status - b.status)
  .map(({ row }) => row)
  .join('\n')}

## What \`details\` say

\`path\` names the parameter, header, field, control or fact, and is empty for the whole. \`limit\` is what is allowed and
\`value\` what there is, or what would have come of it. Both are texts whatever they are of: amounts are in cents and counts
in digits (\`"20000"\`), times are RFC 3339, names stand with commas between them, and an empty text is a list that allows
nothing. \`reason\` comes with violated controls of a mandate alone.

## Why a mandate denies

\`error.reason\` of \`mandate_denied\` is the first of these that holds, in this order; \`details\` has every control that is
violated, each with its \`reason\`. \`error.mandateState\` is the whole mandate as it was decided upon. \`POST
/v1/mandate/check\` answers with the same details as \`violations\` and spends nothing; \`GET /v1/mandate/history\` keeps what was
denied.

| \`reason\` | Meaning | \`path\` | \`limit\` | \`value\` |
|---|---|---|---|---|
${DENIAL_REASONS.map((reason) => {
  const { path, limit, value } = CONTROLS[reason];
  return `| \`${reason}\` | ${DENIALS[reason]}. | \`${path.join('`, `')}\` | ${limit} | ${value} |`;
}).join('\n')}
`;
}

const STATUS = { path: ['status'], limit: '`active`', value: 'the status that it has' };

/** What a violated control is told with. The compiler keeps the table complete; docs/errors.md is its only reader. */
const CONTROLS: Readonly<
  Record<DenialReason, { readonly path: readonly string[]; readonly limit: string; readonly value: string }>
> = {
  mandate_revoked: STATUS,
  mandate_suspended: STATUS,
  mandate_not_yet_valid: { path: ['validFrom'], limit: 'when it begins', value: 'the time of the decision' },
  mandate_expired: { path: ['expiresAt'], limit: 'when it ended', value: 'the time of the decision' },
  action_not_allowed: {
    path: ['allowedActions'],
    limit: 'the allowed actions',
    value: 'the action that was asked for',
  },
  payee_not_allowed: {
    path: ['allowedAgencies', 'allowedAgents'],
    limit: 'the allowed names',
    value: 'the agency or agent that would be paid',
  },
  transaction_cap: {
    path: ['maxPerTransactionCents'],
    limit: 'the cap of one spend',
    value: 'what this spend would cost',
  },
  spend_count: {
    path: ['maxSpendsPerMonth'],
    limit: 'spends in a month',
    value: 'how many there would be with this one',
  },
  monthly_cap: {
    path: ['maxMonthlyCents'],
    limit: 'the cap of the month',
    value: 'what the month would come to with this spend',
  },
};
