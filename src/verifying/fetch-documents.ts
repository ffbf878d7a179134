/** Fetches public documents from any running instance: what `bourse verify` works on. */
import { isObject, parseStrictJson } from '../calling/strict-json.ts';

export type Fetch = (url: string, init: { readonly signal: AbortSignal }) => Promise<Response>;

export interface Instance {
  /** The address of the instance, such as `https://bourse.example`. */
  readonly base: string;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

/** The record of an agent and the methodology of the version it names. @throws {NotReached | NotFetched} */
export async function fetchVerification(
  instance: Instance,
  slug: string,
): Promise<{ readonly record: unknown; readonly methodology: unknown }> {
  const record = await fetchData(instance, `/v1/agents/${encodeURIComponent(slug)}/verification`);
  const version = versionNamedBy(record);
  const methodology = await fetchData(instance, `/v1/methodology?version=${encodeURIComponent(version)}`);
  return { record, methodology };
}

/** A version of a bundle, the current one unless another is named. @throws {NotReached | NotFetched} */
export async function fetchBundle(instance: Instance, slug: string, version?: string): Promise<unknown> {
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  return fetchData(instance, `/v1/bundles/${encodeURIComponent(slug)}${query}`);
}

/** The instance gives no answer: its address may be wrong, or it is away. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}

/** The instance answers with something else than the document. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

async function fetchData({ base, fetch, signal }: Instance, path: string): Promise<unknown> {
  const url = `${base.replace(/\/+$/, '')}${path}`;
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    throw new NotReached(`${url} cannot be reached`, { cause: reasonOf(cause) });
  });
  const parsed = parseStrictJson(await response.text().catch(() => ''));
  const body = parsed.ok ? parsed.value : null;
  if (!response.ok) throw new NotFetched(`${url} answers ${response.status}${messageOf(body)}`);
  if (!isObject(body) || !isObject(body.data)) throw new NotFetched(`${url} does not answer with a document`);
  return body.data;
}

/** `fetch` says only that it failed, and has the reason behind it. */
function reasonOf(cause: unknown): unknown {
  return cause instanceof TypeError && cause.cause !== undefined ? cause.cause : cause;
}

function versionNamedBy(record: unknown): string {
  const methodology = isObject(record) ? record.methodology : undefined;
  const version = isObject(methodology) ? methodology.version : undefined;
  if (typeof version !== 'string') throw new NotFetched('the record names no version of the methodology');
  return version;
}

function messageOf(body: unknown): string {
  const error = isObject(body) ? body.error : undefined;
  return isObject(error) && typeof error.message === 'string' ? `: ${error.message}` : '';
}
