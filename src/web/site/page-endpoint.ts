/** Pages of the site and their alternates in Markdown: drawn from an operation, with its input, limit and refusals; or static. */
import type { Endpoint } from '../../transport/endpoint.ts';
import type { Exchange } from '../../transport/exchange.ts';
import { callOverHttp } from '../../transport/call-over-http.ts';
import type { PathParameters } from '../../transport/request-input.ts';
import { route } from '../../transport/route.ts';
import { type Operation, type Outcome, StoredJson } from '../../operations/operation.ts';
import { countedText, type TextForm, textEndpoint } from '../text-endpoint.ts';
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

/** What an operation answers, at an address of its own, and how that is drawn. */
export interface DrawnFrom<Input, Data, Drawn> {
  readonly path: string;
  readonly operation: Operation<Input, Data>;
  readonly draw: (shown: Shown<Data>, site: Site) => Drawn | Promise<Drawn>;
  /** What stands in the place of something that is gone for good; undefined if it never was. */
  readonly gone?: (params: PathParameters, site: Site) => Promise<Drawn | undefined>;
}

export function pageOver<Input, Data>(page: DrawnFrom<Input, Data, SitePage>) {
  return (site: Site): Endpoint =>
    endpointOver(site, page, {
      ...pageForm(site),
      prefix: 'page',
      write: (drawn) => siteDocument(drawn, site),
    });
}

/** The same in Markdown, for models. */
export function markdownEndpoint<Input, Data>(
  site: Site,
  alternate: DrawnFrom<Input, Data, string>,
): Endpoint {
  return endpointOver(site, alternate, {
    prefix: 'twin',
    headers: MARKDOWN_HEADERS,
    cacheControl: CACHE_CONTROL,
    crossOrigin: true,
    write: (text) => text,
  });
}

export interface StaticPage {
  readonly path: string;
  readonly name: string;
  readonly draw: (site: Site) => SitePage | Promise<SitePage>;
  readonly headers?: readonly string[];
}

/** A page that takes no input: whatever query a link to it carries changes nothing. */
export function staticPageEndpoint(site: Site, { path, name, draw, headers }: StaticPage): Endpoint {
  return textEndpoint(site.context, {
    ...pageForm(site, headers),
    path,
    name: `page:${name}`,
    make: (exchange) => countedText(exchange, async () => siteDocument(await draw(site), site)),
  });
}

function pageForm(site: Site, headers = HTML_HEADERS): TextForm {
  return {
    headers,
    cacheControl: CACHE_CONTROL,
    refused: (refusal) => siteDocument(refusalPage(refusal), site),
  };
}

interface DrawnForm<Drawn> extends TextForm {
  /** Of its names in the log. */
  readonly prefix: string;
  readonly write: (drawn: Drawn) => string;
}

function endpointOver<Input, Data, Drawn>(
  site: Site,
  { path, operation, draw, gone }: DrawnFrom<Input, Data, Drawn>,
  { prefix, write, ...form }: DrawnForm<Drawn>,
): Endpoint {
  const asked = route('GET', path, operation);
  return textEndpoint(site.context, {
    ...form,
    path,
    name: `${prefix}:${operation.name}`,
    async make(exchange, params) {
      const outcome = await callOverHttp(asked, exchange, params);
      if (!outcome.ok) return outcome;
      const shown = { data: dataOf<Data>(outcome), meta: outcome.meta ?? {}, query: queryOf(exchange) };
      return { ok: true, text: write(await draw(shown, site)) };
    },
    async gone(params) {
      const drawn = await gone?.(params, site);
      return drawn === undefined ? undefined : write(drawn);
    },
  });
}

/** A stored text was written by the projection whose schema the operation declares as its output. */
function dataOf<Data>({ data }: Extract<Outcome<unknown>, { ok: true }>): Data {
  return (data instanceof StoredJson ? JSON.parse(data.text) : data) as Data;
}

function queryOf({ req }: Exchange): URLSearchParams {
  return new URL(req.url ?? '', 'http://localhost').searchParams;
}
