/** What every page of the site is made with. */
import type { Html } from '../html.ts';
import type { HttpContext } from '../../transport/exchange.ts';
import type { KnownWords } from './known-words.ts';

export interface Site {
  readonly context: HttpContext;
  /** The public address, without a slash at its end. */
  readonly baseUrl: string;
  /** Prefix of our own property names in JSON-LD, such as `bourse`. */
  readonly jsonLdNamespace: string;
  readonly known: KnownWords;
}

export interface SitePage {
  readonly title: string;
  /** One or two sentences, for search results and previews. */
  readonly description: string;
  /** The one address of this content, below the base. */
  readonly canonicalPath: string;
  readonly body: Html;
  /** Schema.org data about the thing the page shows. */
  readonly jsonLd?: object;
  /** Addresses of scripts and further styles, for the few pages whose policy admits scripts. */
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  /** The same in Markdown, if there is one. */
  readonly markdownPath?: string;
  /** Whether search engines should leave it out: pages of results, errors. */
  readonly noIndex?: boolean;
}
