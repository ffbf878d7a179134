/** Checks the files of a bundle on this machine against its published manifest. */
import { manifestOf, rootHashOf } from '../../commands/bundle/manifest.ts';
import { bundleDocument } from '../../projections/bundle-document.ts';
import { readBundleFolder } from '../publishing/bundle-folder.ts';

export interface BundleFault {
  /** A path in the bundle; empty for the bundle as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface BundleVerdict {
  readonly bundle: string;
  readonly version: string;
  readonly rootHash: string;
  readonly fileCount: number;
  readonly faults: readonly BundleFault[];
  readonly agrees: boolean;
}

/** @throws {z.ZodError} the document is not what its reference says */
export async function verifyBundle(document: unknown, folder: string): Promise<BundleVerdict> {
  const { slug, version, manifest } = bundleDocument.parse(document);
  const { files, rootHash } = manifest;
  const read = await readBundleFolder(folder);
  const faults: BundleFault[] = [];
  const sorted = manifestOf(files);
  if (rootHashOf(files) !== rootHash || sorted.rootHash !== rootHash) {
    faults.push({ path: '', message: 'the published root hash is not that of the published files' });
  }
  if (read.ok) faults.push(...differences(files, read.files));
  else faults.push(...read.faults);
  return { bundle: slug, version, rootHash, fileCount: files.length, faults, agrees: faults.length === 0 };
}

type Files = Parameters<typeof manifestOf>[0];

function differences(published: Files, found: Files): BundleFault[] {
  const here = new Map(found.map((file) => [file.path, file]));
  const faults = published.flatMap(({ path, size, sha256 }): BundleFault[] => {
    const file = here.get(path);
    here.delete(path);
    if (file === undefined) return [{ path, message: 'is missing' }];
    if (file.size !== size) return [{ path, message: `has ${file.size} bytes instead of ${size}` }];
    return file.sha256 === sha256 ? [] : [{ path, message: 'has other content' }];
  });
  return [...faults, ...[...here.keys()].map((path) => ({ path, message: 'is not in the manifest' }))];
}
