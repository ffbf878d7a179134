/** A receiver of notifications on this machine, over TLS with a certificate of its own. */
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { selfSigned } from './eventstoredb/certificate.ts';
import { listenAnywhere } from './ports.ts';
import { tempFolder } from './temp-folder.ts';

export interface ReceivedPost {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpsSink {
  readonly url: string;
  readonly port: number;
  /** For those who post here. */
  readonly env: { readonly NODE_EXTRA_CA_CERTS: string };
  /** In the order in which they came. */
  readonly received: readonly ReceivedPost[];
  readonly close: () => Promise<void>;
}

/**
 * @param pauseMs how long it takes before it says that it has taken a post
 * @param name that its certificate is for, beside 127.0.0.1
 */
export async function startHttpsSink(pauseMs: () => number = () => 0, name?: string): Promise<HttpsSink> {
  const folder = await tempFolder();
  const { certificatePem: cert, privateKeyPem: key } = selfSigned(name);
  const file = folder.file('authority.pem');
  await writeFile(file, cert);
  const received: ReceivedPost[] = [];
  const server = createServer({ cert, key }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      received.push({ headers: req.headers, body: Buffer.concat(chunks).toString() });
      setTimeout(() => res.writeHead(204).end(), pauseMs());
    });
  });
  const port = await listenAnywhere(server);
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    env: { NODE_EXTRA_CA_CERTS: file },
    received,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await folder.remove();
    },
  };
}
