/** Files that pages are drawn and run with. Each address names its content, so that what it says is kept for ever. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { keptOnce } from '../timing/kept.ts';
import { createEndpoint, type Endpoint } from '../transport/endpoint.ts';
import { beginExchange, type HttpContext, type Exchange } from '../transport/exchange.ts';
import { SECURITY_HEADERS } from '../transport/header-blocks.ts';
import { sendText, tagged } from '../transport/send.ts';

export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly read: () => Promise<Buffer>;
}

const CACHING = { cacheControl: 'public, max-age=31536000, immutable', tag: 'always' } as const;
const CONTENT_TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;
type Kind = keyof typeof CONTENT_TYPES;

/** A small file of ours, named by its hash. */
export function hashedAsset(file: URL, name: string, kind: Kind): Asset {
  const bytes = readFileSync(file);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  return {
    path: `/assets/${name}-${hash}.${kind}`,
    contentType: CONTENT_TYPES[kind],
    read: () => Promise.resolve(bytes),
  };
}

/** A file of a package, named by its version: large ones are not read before somebody asks. */
export function versionedAsset(file: URL, name: string, version: string, kind: Kind): Asset {
  return {
    path: `/assets/${name}-${version}.${kind}`,
    contentType: CONTENT_TYPES[kind],
    read: () => readFile(file),
  };
}

export function assetEndpoint(context: HttpContext, { path, contentType, read }: Asset): Endpoint {
  const headers = ['Content-Type', contentType, 'Vary', 'Accept-Encoding', ...SECURITY_HEADERS];
  /** Read, compressed and hashed for the first who asks. */
  const kept = keptOnce(async () => {
    const plain = await read();
    return { plain: tagged(plain), zipped: tagged(await promisify(gzip)(plain, { level: 9 })) };
  });
  async function answer(exchange: Exchange): Promise<void> {
    const { plain, zipped } = await kept();
    const takesZipped = /\bgzip\b/.test(String(exchange.req.headers['accept-encoding'] ?? ''));
    if (takesZipped) exchange.headers.push('Content-Encoding', 'gzip');
    sendText(exchange, takesZipped ? zipped : plain, CACHING);
  }
  return createEndpoint(context, path, {
    GET: (req, res) => {
      const exchange = beginExchange(context, req, res, 'getAsset', path, headers);
      answer(exchange).catch((error: unknown) => {
        context.log.error({ err: error, requestId: exchange.requestId, path }, 'asset failed');
        res.destroy();
      });
    },
  });
}
