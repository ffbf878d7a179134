/** Pages of the site and their alternates in Markdown: drawn from an operation, with its input, limit and refusals; or static. */
import type { Endpoint } from '../../transport/endpoint.ts';
import type { Exchange } from '../../transport/exchange.ts';
import { callOverHttp } from '../../transport/call-over-http.ts';
import { REFUSAL_STATUS } from '../../transport/refusal-status.ts';
import { route } from '../../transport/route.ts';
import { type Operation, type Outcome, StoredJson } from '../../operations/operation.ts';
import type { Refusal } from '../../operations/refusals.ts';
import { countedText, type Made, type PathParameters, type Refused, textEndpoint } from '../text-endpoint.ts';
import { siteDocument } from './layout.ts';
import { HTML_HEADERS, MARKDOWN_HEADERS } from './page-headers.ts';
import { refusalPage } from './refusal-page.ts';
import type { Site, SitePage } from './site.ts';

const CACHE_CONTROL = 'public, max-age=60';

/** What a page is drawn from. */
export interface Shown<Data> {
  readonly data: Data;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The query as it was sent, for links that keep it. */
  readonly query: URLSearchParams;
}

type Drawn<Data, Result> = (shown: Shown<Data>, site: Site) => Result | Promise<Result>;
/** What stands in the place of something that is gone for good; undefined if it never was. */
type Gone<Result> = (params: PathParameters, site: Site) => Promise<Result | undefined>;

export interface PageOver<Input, Data> {
  readonly path: string;
  readonly operation: Operation<Input, Data>;
  readonly draw: Drawn<Data, SitePage>;
  readonly gone?: Gone<SitePage>;
}

export function pageEndpoint<Input, Data>(site: Site, page: PageOver<Input, Data>): Endpoint {
  const { path, operation, draw } = page;
  return textEndpoint(site.context, {
    path,
    name: `page:${operation.name}`,
    headers: HTML_HEADERS,
    cacheControl: CACHE_CONTROL,
    make: madeOver(path, operation, async (shown) => siteDocument(await draw(shown, site), site)),
    async refuse(refusal, params) {
      const gone = refusal.code === 'not_found' ? await page.gone?.(params, site) : undefined;
      if (gone !== undefined) return { status: 410, text: siteDocument(gone, site) };
      return refusedPage(refusal, site);
    },
  });
}

export interface StaticPage {
  readonly path: string;
  readonly name: string;
  readonly draw: (site: Site) => SitePage | Promise<SitePage>;
  readonly headers?: readonly string[];
}

/** A page that takes no input: whatever query a link to it carries changes nothing. */
export function staticPageEndpoint(site: Site, page: StaticPage): Endpoint {
  const { path, name, draw, headers = HTML_HEADERS } = page;
  return textEndpoint(site.context, {
    path,
    name: `page:${name}`,
    headers,
    cacheControl: CACHE_CONTROL,
    make: (exchange) => countedText(exchange, async () => siteDocument(await draw(site), site)),
    refuse: (refusal) => refusedPage(refusal, site),
  });
}

export interface AlternateOver<Input, Data> {
  readonly path: string;
  readonly operation: Operation<Input, Data>;
  readonly draw: Drawn<Data, string>;
  readonly gone?: Gone<string>;
}

/** The same in Markdown, for models. */
export function markdownEndpoint<Input, Data>(site: Site, alternate: AlternateOver<Input, Data>): Endpoint {
  const { path, operation, draw } = alternate;
  return textEndpoint(site.context, {
    path,
    name: `twin:${operation.name}`,
    headers: MARKDOWN_HEADERS,
    cacheControl: CACHE_CONTROL,
    crossOrigin: true,
    make: madeOver(path, operation, (shown) => draw(shown, site)),
    async refuse({ code, message }, params) {
      const gone = code === 'not_found' ? await alternate.gone?.(params, site) : undefined;
      if (gone !== undefined) return { status: 410, text: gone };
      return { status: REFUSAL_STATUS[code].status, text: `${message}\n` };
    },
  });
}

function refusedPage(refusal: Refusal, site: Site): Refused {
  return { status: REFUSAL_STATUS[refusal.code].status, text: siteDocument(refusalPage(refusal), site) };
}

function madeOver<Input, Data>(
  path: string,
  operation: Operation<Input, Data>,
  draw: (shown: Shown<Data>) => string | Promise<string>,
) {
  const asked = route('GET', path, operation);
  return async (exchange: Exchange, params: PathParameters): Promise<Made> => {
    const outcome = await callOverHttp(asked, exchange, params);
    if (!outcome.ok) return outcome;
    const shown = { data: dataOf<Data>(outcome), meta: outcome.meta ?? {}, query: queryOf(exchange) };
    return { ok: true, text: await draw(shown) };
  };
}

/** A stored text was written by the projection whose schema the operation declares as its output. */
function dataOf<Data>({ data }: Extract<Outcome<unknown>, { ok: true }>): Data {
  return (data instanceof StoredJson ? JSON.parse(data.text) : data) as Data;
}

function queryOf({ req }: Exchange): URLSearchParams {
  return new URL(req.url ?? '', 'http://localhost').searchParams;
}
