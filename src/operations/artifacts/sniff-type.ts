/** What a file is, by its first bytes. What its sender says of it is believed only where the bytes do not contradict. */

const SIGNATURES: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ['application/pdf', 0, '%PDF-'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b'],
  ['application/x-tar', 257, 'ustar'],
  ['application/vnd.sqlite3', 0, 'SQLite format 3\0'],
  ['application/x-elf', 0, '\x7fELF'],
  ['video/mp4', 4, 'ftyp'],
  ['application/vnd.apache.parquet', 0, 'PAR1'],
];

/** Office documents and the like are archives: the sender may say which. */
const ZIPPED = /^application\/(vnd\.|epub\+zip|java-archive|zip$)/;
const TEXTUAL = /^(text\/(plain|csv|markdown|tab-separated-values)|application\/(json|x-ndjson|xml|yaml))$/;
const UNKNOWN = 'application/octet-stream';

/** `declared` is a Content-Type or null; never answers with a type that a browser would run. */
export function sniffType(head: Uint8Array, declared: string | null): string {
  const type = declared?.split(';')[0]?.trim().toLowerCase() ?? '';
  const bytes = Buffer.from(head).toString('latin1');
  const found = SIGNATURES.find(([, offset, signature]) => bytes.startsWith(signature, offset));
  if (found?.[0] === 'application/zip' && ZIPPED.test(type)) return type;
  if (found !== undefined) return found[0];
  if (!isText(head)) return UNKNOWN;
  return TEXTUAL.test(type) ? type : 'text/plain';
}

/** Whether it reads as UTF-8 without control characters; the last character may be cut. */
function isText(head: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(head, { stream: true });
  return !/[\p{Cc}\ufffd]/u.test(text.replaceAll(/[\t\n\f\r]/g, ''));
}
