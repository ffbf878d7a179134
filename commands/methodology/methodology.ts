/** The methodology: versions that follow one another. A published version is never changed. */
import type { Occurred } from '../../events/event.ts';
import { type PublishedMethodology, publishedMethodology } from '../../events/methodology-document.ts';
import type { Methodology, MethodologyFact } from '../../events/methodology-events.ts';
import { compareVersions } from '../../events/texts.ts';
import { accept, type Decider, type Decision, reject } from '../decider.ts';
import { faultsOf, type MethodologyFault } from './methodology-faults.ts';

/** Puts a version into force, or does nothing when this very version is in force already. */
export interface PublishMethodology {
  readonly type: 'PublishMethodology';
  readonly methodology: Methodology;
}

/** The version in force, as the public reads it; null before the first. */
export type MethodologyState = PublishedMethodology | null;

export type MethodologyRejection =
  | { readonly kind: 'inconsistent'; readonly faults: readonly MethodologyFault[] }
  | { readonly kind: 'version_differs'; readonly version: string }
  | { readonly kind: 'version_not_newer'; readonly current: string };

export const methodologyDecider: Decider<
  MethodologyState,
  PublishMethodology,
  MethodologyFact,
  MethodologyRejection
> = { family: 'methodology', initial: null, evolve, decide };

/** There is one methodology, and so one stream: `methodology-main`. */
export const METHODOLOGY_ID = 'main';

function evolve(_: MethodologyState, event: Occurred<MethodologyFact>): MethodologyState {
  return publishedMethodology(event.data.methodology, event.at);
}

function decide(
  { methodology }: PublishMethodology,
  current: MethodologyState,
): Decision<MethodologyFact, MethodologyRejection> {
  const faults = faultsOf(methodology);
  if (faults.length > 0) return reject({ kind: 'inconsistent', faults });
  if (current !== null) {
    const order = compareVersions(methodology.version, current.version);
    if (order < 0) return reject({ kind: 'version_not_newer', current: current.version });
    if (order === 0) {
      return isSame(methodology, current)
        ? accept()
        : reject({ kind: 'version_differs', version: current.version });
    }
  }
  return accept({ type: 'MethodologyPublished', data: { methodology } });
}

function isSame(methodology: Methodology, current: PublishedMethodology): boolean {
  return publishedMethodology(methodology, current.publishedAt).digest === current.digest;
}
