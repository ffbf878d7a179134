/** What the wrapper may refuse before an operation runs, beside what the operation lists itself. */
import type { RefusalCode } from '../../operations/refusals.ts';
import type { Route } from '../../transport/route.ts';

/** All refusals of a route, each once, in the order of the table of refusals. */
export function refusalsOf(route: Route): readonly RefusalCode[] {
  const { operation } = route;
  return [
    ...new Set<RefusalCode>([
      'invalid_request',
      ...(route.readsBody ? BODY : []),
      ...(route.limited ? SENT_KEY : []),
      ...(operation.scope === null ? [] : KEY),
      ...(route.limited || operation.scope !== null || route.isSignedUrl ? LIMIT : []),
      ...(operation.metered === undefined ? [] : PLAN),
      ...(route.lookedUp.length > 0 ? ABSENT : []),
      ...operation.refusals,
      ...ALWAYS,
    ]),
  ];
}

const BODY: readonly RefusalCode[] = [
  'invalid_json',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
];
const KEY: readonly RefusalCode[] = ['api_key_missing', 'api_key_invalid', 'scope_missing', 'forbidden'];
/** Who need not send one, and does. */
const SENT_KEY: readonly RefusalCode[] = ['api_key_invalid', 'forbidden'];
const LIMIT: readonly RefusalCode[] = ['rate_limited'];
const PLAN: readonly RefusalCode[] = ['plan_required', 'quota_exceeded'];
const ABSENT: readonly RefusalCode[] = ['not_found'];
const ALWAYS: readonly RefusalCode[] = ['internal', 'unavailable'];
