/** A skill bundle: versions with their manifests, each newer than the one before and never changed. */
import type { BundleFact, BundleProfile, Manifest } from '../../events/bundle-events.ts';
import { orderedJson } from '../../events/canonical-json.ts';
import type { Occurred } from '../../events/event.ts';
import { compareVersions } from '../../events/texts.ts';
import { accept, assertNever, type Decider, type Decision, reject } from '../decider.ts';
import { type ManifestFile, manifestOf } from './manifest.ts';

/** Publishes a version, or does nothing when this very version was published before. */
export interface PublishBundleVersion {
  readonly type: 'PublishBundleVersion';
  readonly bundle: string;
  readonly version: string;
  readonly profile: BundleProfile;
  /** In any order; the manifest is made from them. */
  readonly files: readonly ManifestFile[];
}

export interface RetireBundle {
  readonly type: 'RetireBundle';
  readonly reason: string;
}

export type BundleCommand = PublishBundleVersion | RetireBundle;

export interface PublishedBundle {
  readonly status: 'published' | 'retired';
  readonly slug: string;
  readonly current: BundleVersion;
  /** Every version there was, by its number. */
  readonly versions: ReadonlyMap<string, BundleVersion>;
}

export interface BundleVersion {
  readonly version: string;
  readonly profile: BundleProfile;
  readonly rootHash: string;
}

export type Bundle = { readonly status: 'absent' } | PublishedBundle;

export type BundleRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'retired' }
  | { readonly kind: 'agency_changed'; readonly agency: string }
  /** A published version never changes. */
  | { readonly kind: 'version_differs'; readonly version: string }
  | { readonly kind: 'version_not_newer'; readonly current: string }
  | { readonly kind: 'path_twice'; readonly path: string }
  /** A file of this path and files below it: no folder can hold both. */
  | { readonly kind: 'path_below_file'; readonly path: string };

export const bundleDecider: Decider<Bundle, BundleCommand, BundleFact, BundleRejection> = {
  family: 'bundle',
  initial: { status: 'absent' },
  evolve,
  decide,
};

function evolve(bundle: Bundle, event: Occurred<BundleFact>): Bundle {
  switch (event.type) {
    case 'BundleVersionPublished': {
      const { bundle: slug, version, profile, manifest } = event.data;
      const current = { version, profile, rootHash: manifest.rootHash };
      const versions = bundle.status === 'absent' ? [] : bundle.versions;
      return { status: 'published', slug, current, versions: new Map([...versions, [version, current]]) };
    }
    case 'BundleRetired':
      return bundle.status === 'absent' ? bundle : { ...bundle, status: 'retired' };
    default:
      return assertNever(event);
  }
}

function decide(command: BundleCommand, bundle: Bundle): Decision<BundleFact, BundleRejection> {
  switch (command.type) {
    case 'PublishBundleVersion':
      return publishVersion(command, bundle);
    case 'RetireBundle':
      return retire(command, bundle);
    default:
      return assertNever(command);
  }
}

function publishVersion(
  command: PublishBundleVersion,
  bundle: Bundle,
): Decision<BundleFact, BundleRejection> {
  const { bundle: slug, version, profile } = command;
  const manifest = manifestOf(command.files);
  const twice = manifest.files.find(({ path }, index) => path === manifest.files[index - 1]?.path);
  if (twice !== undefined) return reject({ kind: 'path_twice', path: twice.path });
  const below = belowAFile(manifest);
  if (below !== undefined) return reject({ kind: 'path_below_file', path: below });
  if (bundle.status === 'absent') return accept(published(slug, version, null, profile, manifest));
  if (bundle.status === 'retired') return reject({ kind: 'retired' });
  const { current, versions } = bundle;
  const known = versions.get(version);
  if (known !== undefined) {
    return isSame(profile, manifest, known) ? accept() : reject({ kind: 'version_differs', version });
  }
  if (profile.agency.slug !== current.profile.agency.slug) {
    return reject({ kind: 'agency_changed', agency: current.profile.agency.slug });
  }
  if (compareVersions(version, current.version) <= 0) {
    return reject({ kind: 'version_not_newer', current: current.version });
  }
  return accept(published(slug, version, current.version, profile, manifest));
}

/** A path that has another one as its folder. */
function belowAFile({ files }: Manifest): string | undefined {
  const paths = new Set(files.map(({ path }) => path));
  const foldersOf = (path: string): string[] => {
    const names = path.split('/').slice(0, -1);
    return names.map((_, depth) => names.slice(0, depth + 1).join('/'));
  };
  return files.find(({ path }) => foldersOf(path).some((folder) => paths.has(folder)))?.path;
}

function published(
  bundle: string,
  version: string,
  previousVersion: string | null,
  profile: BundleProfile,
  manifest: Manifest,
): BundleFact {
  return { type: 'BundleVersionPublished', data: { bundle, version, previousVersion, profile, manifest } };
}

/** The agency's name may have changed since; it is no part of what a version is. */
function isSame(profile: BundleProfile, { rootHash }: Manifest, known: BundleVersion): boolean {
  if (profile.agency.slug !== known.profile.agency.slug || rootHash !== known.rootHash) return false;
  return orderedJson({ ...profile, agency: null }) === orderedJson({ ...known.profile, agency: null });
}

function retire({ reason }: RetireBundle, bundle: Bundle): Decision<BundleFact, BundleRejection> {
  if (bundle.status === 'absent') return reject({ kind: 'absent' });
  if (bundle.status === 'retired') return accept();
  const { agency, name } = bundle.current.profile;
  return accept({ type: 'BundleRetired', data: { bundle: bundle.slug, agency: agency.slug, name, reason } });
}
