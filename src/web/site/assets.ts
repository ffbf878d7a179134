/** The stylesheet, under an address that names its content, so that it can be kept for ever. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createAddress, type Address } from '../../http/address.ts';
import { beginExchange, type Edge } from '../../http/exchange.ts';
import { SECURITY_HEADERS } from '../../http/header-blocks.ts';
import { sendText } from '../../http/send.ts';

const STYLE = readFileSync(new URL('./site.css', import.meta.url), 'utf8');
const CACHING = { cacheControl: 'public, max-age=31536000, immutable', tag: 'always' } as const;
const HEADERS = ['Content-Type', 'text/css; charset=utf-8', ...SECURITY_HEADERS];

export const STYLE_PATH = `/assets/site-${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}.css`;

export function styleAddress(edge: Edge): Address {
  return createAddress(edge, STYLE_PATH, {
    GET: (req, res) =>
      sendText(beginExchange(edge, req, res, 'getStyle', STYLE_PATH, HEADERS), STYLE, CACHING),
  });
}
