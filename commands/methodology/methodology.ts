/** The methodology: versions that follow one another. A published version is never changed. */
import type { Occurred } from '../../events/event.ts';
import { type PublishedMethodology, publishedMethodology } from '../../events/methodology-document.ts';
import type { Methodology, MethodologyFact } from '../../events/methodology-events.ts';
import { compareVersions } from '../../events/texts.ts';
import { accept, type Decider, type Decision, reject } from '../decider.ts';
import { fieldErrorsOf, type MethodologyFieldError } from './methodology-field-errors.ts';

/** Puts a version into force, or does nothing when this very version was published before. */
export interface PublishMethodology {
  readonly type: 'PublishMethodology';
  readonly methodology: Methodology;
}

export interface MethodologyState {
  /** The version in force, as the public reads it; null before the first. */
  readonly current: PublishedMethodology | null;
  /** Every version there was, by its number. */
  readonly versions: ReadonlyMap<string, PublishedMethodology>;
}

export type MethodologyRejection =
  | { readonly kind: 'inconsistent'; readonly fieldErrors: readonly MethodologyFieldError[] }
  | { readonly kind: 'version_differs'; readonly version: string }
  | { readonly kind: 'version_not_newer'; readonly current: string };

export const methodologyDecider: Decider<
  MethodologyState,
  PublishMethodology,
  MethodologyFact,
  MethodologyRejection
> = { family: 'methodology', initial: { current: null, versions: new Map() }, evolve, decide };

/** There is one methodology, and so one stream: `methodology-main`. */
export const METHODOLOGY_ID = 'main';

function evolve({ versions }: MethodologyState, event: Occurred<MethodologyFact>): MethodologyState {
  const current = publishedMethodology(event.data.methodology, event.at);
  return { current, versions: new Map([...versions, [current.version, current]]) };
}

function decide(
  { methodology }: PublishMethodology,
  { current, versions }: MethodologyState,
): Decision<MethodologyFact, MethodologyRejection> {
  const { version } = methodology;
  const known = versions.get(version);
  if (known !== undefined) {
    return isSame(methodology, known) ? accept() : reject({ kind: 'version_differs', version });
  }
  const fieldErrors = fieldErrorsOf(methodology);
  if (fieldErrors.length > 0) return reject({ kind: 'inconsistent', fieldErrors });
  if (current !== null && compareVersions(version, current.version) <= 0) {
    return reject({ kind: 'version_not_newer', current: current.version });
  }
  return accept({ type: 'MethodologyPublished', data: { methodology } });
}

function isSame(methodology: Methodology, known: PublishedMethodology): boolean {
  return publishedMethodology(methodology, known.publishedAt).digest === known.digest;
}
