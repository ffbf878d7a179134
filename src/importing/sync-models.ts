/**
 * Renews the model catalogue from the upstream router. An answer that may not be the truth (empty, cut short, no JSON,
 * much smaller than what was there) changes no row: the last good catalogue stays in service, and the data set says
 * that it is degraded, and why.
 */
import { dataSetDecider } from '../../commands/data-set/data-set.ts';
import { sourceDecider } from '../../commands/data-set/source.ts';
import type { SourceFault } from '../../events/data-set-events.ts';
import { asLine } from '../../events/texts.ts';
import type { Fetcher, GetOutcome } from '../ports/fetcher.ts';
import type { ImportReport } from './compare-rows.ts';
import { importRows } from './import-rows.ts';
import type { ImportCause, ImportServices } from './import-services.ts';

export const MODELS_DATA_SET = 'models';

/** The answer that was used last: as long as nobody else has imported since, it need not be sent again. */
export interface UsedAnswer {
  readonly etag: string;
  /** The last import of the data set then. */
  readonly importId: string | null;
}

export interface ModelSync {
  readonly fetcher: Pick<Fetcher, 'get'>;
  /** In the form of OpenRouter's `/api/v1/models`. */
  readonly url: string;
  readonly used: UsedAnswer | null;
  readonly cause: ImportCause;
  readonly signal: AbortSignal;
}

export type SyncOutcome =
  | {
      readonly kind: 'synced';
      readonly used: UsedAnswer | null;
      /** Null where the router said that nothing has changed. */
      readonly report: ImportReport | null;
    }
  | {
      readonly kind: 'degraded';
      readonly reason: SourceFault;
      readonly detail: string;
      /** When the router wants to be asked again; null where it does not say. */
      readonly retryAfterMs: number | null;
    }
  /** The signal was aborted. */
  | { readonly kind: 'stopped' };

type Degraded = Extract<SyncOutcome, { kind: 'degraded' }>;

const TIMEOUT_MS = 60_000;
/** More than ten times what the router of today sends; it is kept whole while it comes. */
const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024;
/** So much of it is parsed at once, however large it is. */
const SLICE_BYTES = 256 * 1_024;

export async function syncModels(services: ImportServices, sync: ModelSync): Promise<SyncOutcome> {
  const outcome = await ask(services, sync);
  if (outcome.kind === 'stopped') return outcome;
  const fault =
    outcome.kind === 'degraded'
      ? { reason: outcome.reason, detail: asLine(outcome.detail, 500, 'nothing is known of it') }
      : null;
  await services.commands.run(
    sourceDecider,
    MODELS_DATA_SET,
    { type: 'ReportSource', dataset: MODELS_DATA_SET, fault },
    { ...sync.cause, commandId: `${sync.cause.requestId}:source` },
  );
  return outcome;
}

async function ask(services: ImportServices, sync: ModelSync): Promise<SyncOutcome> {
  const before = await lastImport(services, sync.cause.at);
  const etag = sync.used !== null && sync.used.importId === before ? sync.used.etag : null;
  const answer = await sync.fetcher.get({
    url: askingForAll(sync.url),
    headers: { accept: 'application/json', ...(etag === null ? {} : { 'if-none-match': etag }) },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    signal: sync.signal,
  });
  if (answer.kind === 'stopped') return answer;
  if (answer.kind === 'answered' && answer.status === 304 && etag !== null)
    return { kind: 'synced', used: sync.used, report: null };
  const body = usableBody(answer);
  if ('kind' in body) return body;
  const outcome = await importRows(services, {
    dataset: MODELS_DATA_SET,
    bytes: inSlices(body.bytes),
    format: 'json',
    source: { kind: 'router', name: withoutQuery(sync.url) },
    attribution: null,
    isComplete: true,
    mayRetireMany: false,
    dryRun: false,
    cause: sync.cause,
  });
  if (outcome.ok) {
    // Where it added nothing, somebody may have imported since: then it is asked for whole the next time.
    const importId = outcome.importId ?? before;
    return {
      kind: 'synced',
      used: body.etag === null ? null : { etag: body.etag, importId },
      report: outcome.report,
    };
  }
  switch (outcome.refusal.kind) {
    case 'no_rows': {
      const { refused } = outcome.refusal;
      return refused === 0
        ? degraded('empty', 'the answer lists no model')
        : degraded('unusable', `none of its ${refused} models can be used`);
    }
    case 'retires_many': {
      const { retired, listed } = outcome.refusal;
      return degraded('much_smaller', `it lacks ${retired} of ${listed} listed models`);
    }
    case 'unreadable':
      return degraded(outcome.refusal.isCutShort ? 'cut_short' : 'unusable', outcome.refusal.reason);
    case 'overtaken':
      // Somebody imports models by hand: the next try compares with what came of it.
      return degraded('unusable', 'another import of models came first');
    case 'other_request':
      throw new Error('a sync has no name that could come again');
    case 'abandoned':
      return degraded('unusable', 'its import was abandoned: its staged batches are gone');
  }
}

async function lastImport({ commands }: ImportServices, at: string): Promise<string | null> {
  const { state } = await commands.load(dataSetDecider, MODELS_DATA_SET, at);
  return state.status === 'absent' ? null : state.importId;
}

/** Without being asked for all, the router leaves out models that give anything but text. */
function askingForAll(address: string): string {
  const url = new URL(address);
  if (!url.searchParams.has('output_modalities')) url.searchParams.set('output_modalities', 'all');
  return url.href;
}

function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.slice(0, 300);
}

interface UsableBody {
  readonly bytes: Uint8Array;
  readonly etag: string | null;
}

/** The body of an answer that can be the truth, or why it cannot. */
function usableBody(answer: Exclude<GetOutcome, { kind: 'stopped' }>): UsableBody | Degraded {
  switch (answer.kind) {
    case 'failed':
      return degraded(answer.isLate ? 'timeout' : 'unreachable', answer.error);
    case 'forbidden':
      return degraded('unreachable', answer.error);
    case 'cut_short':
      return degraded('cut_short', answer.error);
    case 'too_large':
      return degraded('too_large', `the answer is larger than ${MAX_ANSWER_BYTES / 1_024 ** 2} MiB`);
    case 'answered':
      return usableAnswer(answer);
  }
}

function usableAnswer({
  status,
  body,
  etag,
  contentType,
  retryAfterMs,
}: Extract<GetOutcome, { kind: 'answered' }>): UsableBody | Degraded {
  if (status >= 300 && status < 400 && status !== 304)
    return degraded('redirect', `it answers ${status}: set MODEL_ROUTER_URL to where it leads`);
  if (status !== 200) return { ...degraded('status', `it answers ${status}`), retryAfterMs };
  const beginning = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 1_024))
    .toString('utf8')
    .trim();
  if (beginning === '') return degraded('empty', 'the answer is empty');
  if (!/^[[{]/.test(beginning)) return degraded('not_json', `the answer is ${namedType(contentType)}no JSON`);
  return { bytes: body, etag };
}

/** The header may hold anything; what is told of a fault is one line in the log. */
function namedType(contentType: string | null): string {
  const [type] = /^[\w.+-]{1,100}\/[\w.+-]{1,100}/.exec(contentType ?? '') ?? [];
  return type === undefined ? '' : `${type} and `;
}

function degraded(reason: SourceFault, detail: string): Degraded {
  return { kind: 'degraded', reason, detail, retryAfterMs: null };
}

async function* inSlices(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) yield bytes.subarray(from, from + SLICE_BYTES);
}
