/**
 * Links that act on a job: whoever holds one may do the one thing that it is for, until its end, unless it was
 * withdrawn. Its token bears the key that made it, its generation and its end; the signature covers all of them.
 */
import type { ExistingJob } from '../../../commands/job/job-state.ts';
import { keyDecider } from '../../../commands/key/key.ts';
import { frozenAccountsProjection } from '../../../projections/frozen-accounts.ts';
import type { Scope } from '../operation.ts';
import { readShared } from '../read-view.ts';
import type { Services } from '../services.ts';
import type { LinkPurpose, Signer } from '../signer.ts';

export type ActPurpose = Exclude<LinkPurpose, 'artifact'>;

/** What a key must have to make such a link, and still have when it is used: the scope of what the link does. */
export const LINK_SCOPE = {
  'checkout-pay': 'trials:create',
  'checkout-cancel': 'jobs:cancel',
  'record-link': 'trials:create',
} as const satisfies Record<ActPurpose, Scope>;

/** How a link of an earlier release was signed: over the job alone, and for paying and cancelling alike. */
const FORMER_PURPOSE = {
  'checkout-pay': 'checkout',
  'checkout-cancel': 'checkout',
  'record-link': 'record-webhook',
} as const satisfies Record<ActPurpose, string>;

export interface ActLink {
  readonly jobId: string;
  /** The key that made it; null for a link of an earlier release, which does not say. */
  readonly keyId: string | null;
  readonly generation: number;
  /** Unix time in milliseconds; null where its end follows from the job. */
  readonly endsAtMs: number | null;
}

/** A link that was used, and what for. */
export interface OpenedLink extends ActLink {
  readonly purpose: ActPurpose;
}

const KEY_PREFIX = 'key_';
const ENDLESS = '-';
const SHAPE =
  /^(?<key>[0-9a-z]{26})\.(?<generation>0|[1-9]\d{0,8})\.(?<end>0|[1-9]\d{0,14}|-)\.(?<signature>[\w.-]{43,200})$/;

type MadeLink = ActLink & { readonly keyId: string };

export function signLink(signer: Signer, purpose: ActPurpose, link: MadeLink): string {
  const { keyId, generation, endsAtMs } = link;
  const signature = signer.sign(purpose, subjectOf(link));
  return `${keyId.slice(KEY_PREFIX.length)}.${generation}.${endsAtMs ?? ENDLESS}.${signature}`;
}

/** The link that the token is, if we made it for this purpose and job; whether it still works, the job tells. */
export function openLink(
  signer: Signer,
  purpose: ActPurpose,
  jobId: string,
  token: string,
): OpenedLink | null {
  const { key, generation = '', end, signature = '' } = SHAPE.exec(token)?.groups ?? {};
  if (key === undefined) {
    const isFormer = signer.verify(FORMER_PURPOSE[purpose], jobId, token);
    return isFormer ? { purpose, jobId, keyId: null, generation: 0, endsAtMs: null } : null;
  }
  const endsAtMs = end === ENDLESS ? null : Number(end);
  const link = { purpose, jobId, keyId: KEY_PREFIX + key, generation: Number(generation), endsAtMs };
  return signer.verify(purpose, subjectOf(link), signature) ? link : null;
}

function subjectOf({ jobId, keyId, generation, endsAtMs }: MadeLink): string {
  return `${jobId}\n${keyId}\n${generation}\n${endsAtMs ?? ENDLESS}`;
}

/**
 * Whether the link does nothing now: it was withdrawn, or the key that made it could not do the same itself, for it was
 * revoked, is frozen, has ended, or has lost the scope.
 */
export async function isVoid(
  { commands, views }: Pick<Services, 'commands' | 'views'>,
  { linkGeneration, accountId }: { readonly linkGeneration: number; readonly accountId: string },
  { purpose, keyId, generation }: OpenedLink,
  at: string,
): Promise<boolean> {
  if (generation !== linkGeneration) return true;
  if ((await readShared(views, frozenAccountsProjection, accountId)) !== undefined) return true;
  if (keyId === null) return false;
  const { state: apiKey } = await commands.load(keyDecider, keyId, at);
  if (apiKey.status !== 'active') return true;
  const { expiresAt, scopes } = apiKey.key;
  return (expiresAt !== null && expiresAt <= at) || !scopes.includes(LINK_SCOPE[purpose]);
}

/** Records come after the work, and not for ever. */
const RECORD_DAYS = 90;

/** Until when records of a job are taken in; null while the job goes on. */
export function recordsEndAt({ endedAt }: ExistingJob): string | null {
  if (endedAt === null) return null;
  return new Date(Date.parse(endedAt) + RECORD_DAYS * 24 * 60 * 60 * 1_000).toISOString();
}

/** Who did it: whoever holds the link, which this key made. */
export function actorOf(link: 'checkout-link' | 'record-link', { keyId }: ActLink): string {
  return keyId === null ? link : `${link}:${keyId}`;
}

const UNSIGNED = 26;
const RECORD_TOKEN_SHAPE = /^[0-9a-z]{26}[._][\w.-]{43,300}$/;
/** What a malformed token is checked as, so that it costs what every other costs. */
const NOBODY = `${'0'.repeat(UNSIGNED)}_${'A'.repeat(43)}`;

/** The credential of a job's record webhook: its link in one segment of an address, stored nowhere. */
export function recordToken(link: MadeLink, signer: Signer): string {
  return `${link.jobId.slice('job_'.length)}.${signLink(signer, 'record-link', link)}`;
}

/** The link that a record token is, or null; every token that is none of ours is refused after the same work. */
export function linkOfToken(token: string, signer: Signer): OpenedLink | null {
  const shaped = RECORD_TOKEN_SHAPE.test(token) ? token : NOBODY;
  const jobId = `job_${shaped.slice(0, UNSIGNED)}`;
  return openLink(signer, 'record-link', jobId, shaped.slice(UNSIGNED + 1));
}
