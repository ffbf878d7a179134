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
  /** So many versions of it in 24 hours: each stays known for ever. Without it there is no limit. */
  readonly versionsPerDay?: number;
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
}

export interface BundleVersion {
  readonly version: string;
  readonly profile: BundleProfile;
  readonly rootHash: string;
  readonly publishedAt: string;
  /** A chain takes one more version without a copy of all that there were. */
  readonly previous: BundleVersion | null;
}

export type Bundle = { readonly status: 'absent' } | PublishedBundle;

export type BundleRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'retired' }
  | { readonly kind: 'agency_changed'; readonly agency: string }
  /** A published version never changes. */
  | { readonly kind: 'version_differs'; readonly version: string }
  | { readonly kind: 'version_not_newer'; readonly current: string }
  /** It was published as often as it may be; again from `freeAt` on. */
  | { readonly kind: 'published_often'; readonly limit: number; readonly freeAt: string }
  | { readonly kind: 'path_twice'; readonly path: string }
  /** A file of this path and files below it: no folder can hold both. */
  | { readonly kind: 'path_below_file'; readonly path: string };

type BundleDecision = Decision<BundleFact, BundleRejection>;

const DAY_MS = 24 * 60 * 60 * 1_000;

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
      const previous = bundle.status === 'absent' ? null : bundle.current;
      const { rootHash } = manifest;
      const current = { version, profile, rootHash, publishedAt: event.at, previous };
      return { status: 'published', slug, current };
    }
    case 'BundleRetired':
      return bundle.status === 'absent' ? bundle : { ...bundle, status: 'retired' };
    default:
      return assertNever(event);
  }
}

function decide(command: BundleCommand, bundle: Bundle, at: string): BundleDecision {
  switch (command.type) {
    case 'PublishBundleVersion':
      return publishVersion(command, bundle, at);
    case 'RetireBundle':
      return retire(command, bundle);
    default:
      return assertNever(command);
  }
}

function publishVersion(command: PublishBundleVersion, bundle: Bundle, at: string): BundleDecision {
  const { bundle: slug, version, profile, versionsPerDay: limit = Infinity } = command;
  const manifest = manifestOf(command.files);
  const twice = manifest.files.find(({ path }, index) => path === manifest.files[index - 1]?.path);
  if (twice !== undefined) return reject({ kind: 'path_twice', path: twice.path });
  const below = belowAFile(manifest);
  if (below !== undefined) return reject({ kind: 'path_below_file', path: below });
  if (bundle.status === 'absent') return accept(published(slug, version, null, profile, manifest));
  if (bundle.status === 'retired') return reject({ kind: 'retired' });
  const { current } = bundle;
  const known = knownVersion(current, version);
  if (known !== null) {
    return isSame(profile, manifest, known) ? accept() : reject({ kind: 'version_differs', version });
  }
  if (profile.agency.slug !== current.profile.agency.slug) {
    return reject({ kind: 'agency_changed', agency: current.profile.agency.slug });
  }
  if (compareVersions(version, current.version) <= 0) {
    return reject({ kind: 'version_not_newer', current: current.version });
  }
  const freeAt = freeFrom(current, limit);
  if (freeAt !== null && Date.parse(at) < Date.parse(freeAt))
    return reject({ kind: 'published_often', limit, freeAt });
  return accept(published(slug, version, current.version, profile, manifest));
}

function knownVersion(current: BundleVersion, version: string): BundleVersion | null {
  let known: BundleVersion | null = current;
  while (known !== null && known.version !== version) known = known.previous;
  return known;
}

/** When the last so many versions are no longer all of one day; null where there are fewer. */
function freeFrom(current: BundleVersion, limit: number): string | null {
  let earliest: BundleVersion | null = current;
  for (let count = 1; count < limit && earliest !== null; count += 1) earliest = earliest.previous;
  return earliest === null ? null : new Date(Date.parse(earliest.publishedAt) + DAY_MS).toISOString();
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

function retire({ reason }: RetireBundle, bundle: Bundle): BundleDecision {
  if (bundle.status === 'absent') return reject({ kind: 'absent' });
  if (bundle.status === 'retired') return accept();
  const { agency, name } = bundle.current.profile;
  return accept({ type: 'BundleRetired', data: { bundle: bundle.slug, agency: agency.slug, name, reason } });
}
