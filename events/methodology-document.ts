/** The methodology as the public reads it, and its digest: the same wherever it is computed. */
import { canonicalJson } from './canonical-json.ts';
import { sha256Hex } from './hash-chain.ts';
import type { Methodology } from './methodology-events.ts';

export interface PublishedMethodology extends Methodology {
  readonly publishedAt: string;
  readonly digest: string;
}

export function publishedMethodology(methodology: Methodology, publishedAt: string): PublishedMethodology {
  const document = { ...methodology, publishedAt };
  return { ...document, digest: digestOf(document) };
}

/** SHA-256 (hex) of a document in RFC 8785 canonical JSON; a `digest` member is left out, since it cannot hold itself. */
export function digestOf(document: object): string {
  return sha256Hex(canonicalJson({ ...document, digest: undefined }));
}
