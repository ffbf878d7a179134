/**
 * A page over an operation: the same input, limits and refusals as its REST twin, the answer written as HTML (or as
 * another text for machines).
 */
import { createAddress, type Address } from '../../http/address.ts';
import { beginExchange, type Exchange } from '../../http/exchange.ts';
import { refusalFor } from '../../http/failure.ts';
import { askOperation } from '../../http/handler.ts';
import { REFUSAL_STATUS } from '../../http/refusal-status.ts';
import { route } from '../../http/route.ts';
import { sendText, sendMessage } from '../../http/send.ts';
import { type Operation, type Outcome, StoredJson } from '../../operations/operation.ts';
import type { Refusal } from '../../operations/refusals.ts';
import { siteDocument } from './layout.ts';
import { refusalPage } from './refusal-page.ts';
import type { Site, SitePage } from './site.ts';

const CACHING = { cacheControl: 'public, max-age=60', tag: 'always' } as const;

/** Scripts never run here: the only script elements hold data, which no policy has to admit. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const SITE_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  POLICY,
  'Referrer-Policy',
  'same-origin',
];
export const HTML_HEADERS = ['Content-Type', 'text/html; charset=utf-8', ...SITE_HEADERS];
export const MARKDOWN_HEADERS = ['Content-Type', 'text/markdown; charset=utf-8', ...SITE_HEADERS];

/** What a page is drawn from. */
export interface Shown<Data> {
  readonly data: Data;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The query as it was sent, for links that keep it. */
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

export interface PageOver<Input, Data> {
  readonly path: string;
  readonly operation: Operation<Input, Data>;
  readonly draw: (shown: Shown<Data>, site: Site) => SitePage | Promise<SitePage>;
  /** What stands in the place of something that is gone for good; undefined if it never was. */
  readonly gone?: (params: Readonly<Record<string, string>>, site: Site) => Promise<SitePage | undefined>;
}

export function pageAddress<Input, Data>(site: Site, page: PageOver<Input, Data>): Address {
  return textAddress(site, page.path, page.operation, HTML_HEADERS, {
    draw: async (shown) => siteDocument(await page.draw(shown, site), site),
    async refuse(refusal, params) {
      const gone = refusal.code === 'not_found' ? await page.gone?.(params, site) : undefined;
      if (gone !== undefined) return { status: 410, text: siteDocument(gone, site) };
      const { status } = REFUSAL_STATUS[refusal.code];
      return { status, text: siteDocument(refusalPage(refusal), site) };
    },
  });
}

export interface TextOver<Data> {
  readonly draw: (shown: Shown<Data>) => string | Promise<string>;
  readonly refuse: (
    refusal: Refusal,
    params: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly text: string }>;
}

export function textAddress<Input, Data>(
  site: Site,
  path: string,
  operation: Operation<Input, Data>,
  headers: readonly string[],
  over: TextOver<Data>,
): Address {
  const { edge } = site;
  const asked = route('GET', path, operation);
  async function answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<void> {
    const outcome = await askOperation(asked, exchange, params);
    if (outcome.ok) {
      const shown = {
        data: dataOf<Data>(outcome),
        meta: outcome.meta ?? {},
        query: queryOf(exchange),
        params,
      };
      return sendText(exchange, await over.draw(shown), CACHING);
    }
    await refuse(exchange, outcome.refusal, params);
  }
  async function refuse(
    exchange: Exchange,
    refusal: Refusal,
    params: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { status, text } = await over.refuse(refusal, params);
    exchange.headers.push('Cache-Control', 'no-store');
    sendMessage(exchange, status, text, refusal.code);
  }
  return createAddress(edge, path, {
    GET: (req, res, params) => {
      const exchange = beginExchange(edge, req, res, `page:${operation.name}`, path, headers);
      answer(exchange, params)
        .catch((error: unknown) => {
          edge.log.error({ err: error, requestId: exchange.requestId }, 'page failed');
          return refuse(exchange, refusalFor(error, exchange.requestId), params);
        })
        .catch(() => res.destroy());
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
