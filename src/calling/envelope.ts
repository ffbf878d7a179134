/** `{data, meta, error}`, as text. A payload that is stored as JSON goes in as it is. */
import { StoredJson, type Accepted } from '../operations/operation.ts';
import type { Refusal } from '../operations/refusals.ts';

export function acceptedEnvelope({ data, meta }: Accepted<unknown>): string {
  const dataText = data instanceof StoredJson ? data.text : JSON.stringify(data);
  const metaText = meta === undefined ? '{}' : JSON.stringify(meta);
  return `{"data":${dataText},"meta":${metaText},"error":null}`;
}

export function refusedEnvelope(
  { code, message, reason, mandateState, details }: Refusal,
  requestId: string,
): string {
  const error = { code, message, requestId, reason, mandateState, details };
  return `{"data":null,"meta":{},"error":${JSON.stringify(error)}}`;
}
