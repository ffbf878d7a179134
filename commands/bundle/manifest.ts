/** The manifest of a bundle: its files in the order of their paths' bytes, and one hash for them all. */
import type { Manifest } from '../../events/bundle-events.ts';
import { sha256Hex } from '../../events/hash-chain.ts';

export type ManifestFile = Manifest['files'][number];

/** What `sha256sum` prints for the files in this order, hashed: so `sha256sum` alone can check a bundle. */
export function manifestOf(files: readonly ManifestFile[]): Manifest {
  const sorted = [...files].sort(byPathBytes);
  return { files: sorted, rootHash: rootHashOf(sorted) };
}

export function rootHashOf(sorted: readonly ManifestFile[]): string {
  return sha256Hex(sorted.map(({ sha256, path }) => `${sha256}  ${path}\n`).join(''));
}

function byPathBytes(a: ManifestFile, b: ManifestFile): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
}
