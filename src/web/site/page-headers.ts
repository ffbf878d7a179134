/** Header fields of everything that is shown to people: what the browser may do with it. */
import { ANY_ORIGIN_HEADERS, OWN_ORIGIN_HEADERS } from '../../transport/header-blocks.ts';

/** Scripts never run on a page: its only script element holds data, which no policy has to admit. */
const STRICT =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Files of ours may run, and ask what the API answers; nothing inline, from nowhere else. Swagger UI draws `data:`. */
const INTERACTIVE =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';

export const HTML_HEADERS = headersOf(HTML, STRICT, OWN_ORIGIN_HEADERS);
export const INTERACTIVE_HEADERS = headersOf(HTML, INTERACTIVE, OWN_ORIGIN_HEADERS);
export const MARKDOWN_HEADERS = headersOf('text/markdown; charset=utf-8', STRICT, ANY_ORIGIN_HEADERS);

function headersOf(contentType: string, policy: string, common: readonly string[]): readonly string[] {
  return [
    'Content-Type',
    contentType,
    ...common,
    'Content-Security-Policy',
    policy,
    'Referrer-Policy',
    'same-origin',
  ];
}
