/** Publishes a YAML or JSON file with the bundle folders it names: what `bourse publish FILE` does. */
import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { ManifestFile } from '../../commands/bundle/manifest.ts';
import type { CommandCall } from '../commanding/command-call.ts';
import type { CommandRunner } from '../commanding/command-runner.ts';
import type { FieldError } from '../operations/refusals.ts';
import { readBundleFolder } from './bundle-folder.ts';
import type { Publication } from './publication.ts';
import { publish, type PublishedChange } from './publish.ts';
import { readBounded } from './read-bounded.ts';
import { readInWorker } from './read-in-worker.ts';
import { failed, type FileFault, lineOf, whole } from './read-publication.ts';

/** A directory of a thousand agents fits. */
export const USUAL_MAX_BYTES = 1_048_576;

export type PublishFileOutcome =
  | { readonly ok: true; readonly changes: readonly PublishedChange[]; readonly position: string | null }
  | { readonly ok: false; readonly faults: readonly FileFault[] };

export interface PublishFileRequest {
  readonly file: string;
  readonly dryRun: boolean;
  /** A larger file is not read (default {@link USUAL_MAX_BYTES}). */
  readonly maxBytes?: number;
  readonly call: CommandCall;
}

export async function publishFile(
  commands: Pick<CommandRunner, 'run' | 'load'>,
  { file, dryRun, maxBytes = USUAL_MAX_BYTES, call }: PublishFileRequest,
): Promise<PublishFileOutcome> {
  const source = await readBounded(file, maxBytes);
  if ('fault' in source) return failed([whole(source.fault)]);
  const read = await readInWorker(source.text);
  if (!read.ok) return read;
  const { publication, lines } = read;
  const folders = await readFolders(publication, dirname(file));
  const outcome = folders.ok
    ? await publish(commands, { publication, bundleFiles: folders.bundleFiles, dryRun, call })
    : folders;
  if (outcome.ok) return outcome;
  return {
    ok: false,
    faults: outcome.faults.map(({ path, message }) => ({ path, line: lineOf(lines, path), message })),
  };
}

type Folders =
  | { readonly ok: true; readonly bundleFiles: ReadonlyMap<string, readonly ManifestFile[]> }
  | { readonly ok: false; readonly faults: readonly FieldError[] };

export async function readFolders({ bundles }: Publication, base: string): Promise<Folders> {
  const bundleFiles = new Map<string, readonly ManifestFile[]>();
  const faults: FieldError[] = [];
  for (const [index, { folder }] of bundles.entries()) {
    const path = `bundles.${index}`;
    const read = (await liesWithin(base, folder))
      ? await readBundleFolder(join(base, folder))
      : {
          ok: false as const,
          faults: [{ path: '', message: 'there is no such folder beside or below the file' }],
        };
    if (read.ok) bundleFiles.set(path, read.files);
    else {
      for (const fault of read.faults) {
        const place = [folder, fault.path].filter((part) => part !== '').join('/');
        faults.push({ path: `${path}.folder`, message: `${place}: ${fault.message}` });
      }
    }
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, bundleFiles };
}

/** Links on the way to the folder must not lead out of the place that the file lies in. */
async function liesWithin(base: string, folder: string): Promise<boolean> {
  const [root, place] = await Promise.all([realpath(base), realpath(join(base, folder)).catch(() => null)]);
  return place !== null && (place === root || place.startsWith(root.endsWith(sep) ? root : root + sep));
}
