/** A request as a call of its route's operation; pages, which are reads like any other, come this way too. */
import type { IncomingMessage } from 'node:http';
import type { CallInput, CallRequest } from '../calling/call-request.ts';
import { callOperation } from '../calling/call-operation.ts';
import { isIdempotencyKey, MALFORMED_KEY } from '../calling/idempotency.ts';
import type { Outcome } from '../operations/operation.ts';
import { refuse, type FieldError, type Refusal, type Refused } from '../operations/refusals.ts';
import type { NoteSize } from './body.ts';
import { entityTag, matchesTag } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import { HttpCaller } from './http-caller.ts';
import { gatherInput, type PathParameters } from './request-input.ts';
import type { Route } from './route.ts';

/** The operation's outcome for this request. Writes nothing. */
export function callOverHttp(
  route: Route,
  exchange: Exchange,
  params: PathParameters,
): Promise<Outcome<unknown>> {
  const { context, req } = exchange;
  const tag = req.headers['if-none-match'];
  const request: CallRequest = {
    requests: 1,
    bodyBytes: route.readsBody ? announcedBytes(req, route.maxBodyBytes) : 0,
    countsReads: route.limited,
    hasOurToken: route.isOurs?.(params, context.services),
    has: tag === undefined ? undefined : (revision) => matchesTag(tag, entityTag(revision, '')),
    upload: route.bytes === 'in' ? uploadOf(req) : undefined,
    isMonitor: route.tellsMonitors ? context.isMonitor(req) : undefined,
    read: (noteSize) =>
      route.operation.kind === 'query'
        ? gatherInput(req, route, params, noteSize)
        : gatherCommand(req, route, params, noteSize),
    refuseInput: (fieldErrors, input) => refusedInput(route, fieldErrors, input),
  };
  return callOperation(route, request, new HttpCaller(exchange), context);
}

/** The bytes of a body as announced; as many as there may be where it is sent in chunks. */
export function announcedBytes({ headers }: IncomingMessage, maxBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return maxBytes;
  const length = Number(headers['content-length'] ?? 0);
  return Number.isFinite(length) ? Math.min(length, maxBytes) : maxBytes;
}

/** The input of a command, and the caller's name for it. */
async function gatherCommand(
  req: IncomingMessage,
  route: Route,
  params: PathParameters,
  noteSize: NoteSize,
): Promise<CallInput | Refused> {
  const refusedFile = route.bytes === 'in' ? refusedUpload(req) : null;
  if (refusedFile !== null) return refusedFile;
  const input = await gatherInput(req, route, params, noteSize);
  const idempotencyKey = req.headers['idempotency-key'];
  if (!input.ok || idempotencyKey === undefined) return input;
  const { value, fieldErrors, text } = input;
  // Member by member: a spread costs more than to hash the request.
  if (isIdempotencyKey(idempotencyKey)) return { ok: true, value, fieldErrors, idempotencyKey, text };
  return refuse('invalid_request', `Idempotency-Key ${MALFORMED_KEY}.`, {
    details: [{ path: 'Idempotency-Key', message: MALFORMED_KEY }],
  });
}

/** Whoever stops reading half-way leaves the connection open, for there is an answer to be given on it. */
function uploadOf(req: IncomingMessage): CallRequest['upload'] {
  return { bytes: req.iterator({ destroyOnReturn: false }), sizeBytes: announcedSize(req) };
}

/** The body is the file, whole and as it is. */
function refusedUpload({ headers }: IncomingMessage): Refused | null {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    return refuse('unsupported_media_type', 'The file must be sent as it is, without a Content-Encoding.');
  if (headers['content-range'] === undefined) return null;
  return refuse('invalid_request', 'A file is sent whole, without a Content-Range.', {
    details: [{ path: 'Content-Range', message: 'must not be sent: a file is sent whole' }],
  });
}

function announcedSize({ headers }: IncomingMessage): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}

function refusedInput(route: Route, fieldErrors: readonly FieldError[], input: CallInput): Refusal {
  if (route.isSignedUrl) return { code: 'forbidden', message: 'This address is not as we signed it.' };
  // An id or slug in the path that is not even well formed names nothing that exists.
  const isAbsent =
    input.fieldErrors.length === 0 && fieldErrors.every(({ path }) => route.lookedUp.includes(path));
  if (isAbsent)
    return { code: 'not_found', message: 'There is nothing at this address.', details: fieldErrors };
  return {
    code: 'invalid_request',
    message: `The request is not valid: ${describe(fieldErrors[0])}.`,
    details: fieldErrors,
  };
}

function describe(fault: FieldError | undefined): string {
  return fault ? `${fault.path || 'the body'} ${fault.message}` : 'see details';
}
