/** The upstream of a data set: whether it gives what can be used. Only changes are facts, whatever is tried each hour. */
import { type SourceFact, type SourceFault } from '../../events/data-set-events.ts';
import type { Occurred } from '../../events/event.ts';
import { accept, assertNever, type Decider, type Decision } from '../decider.ts';

export interface ReportSource {
  readonly type: 'ReportSource';
  readonly dataset: string;
  /** Null: it gave what can be used. */
  readonly fault: { readonly reason: SourceFault; readonly detail: string } | null;
}

/** Why it is degraded; null while it is well. */
export type Source = SourceFault | null;

export const sourceDecider: Decider<Source, ReportSource, SourceFact, never> = {
  family: 'source',
  initial: null,
  evolve,
  decide,
  isSnapshot: () => true,
  // The same report again adds nothing.
  remembersCommands: false,
};

function evolve(_before: Source, event: Occurred<SourceFact>): Source {
  switch (event.type) {
    case 'SourceDegraded':
      return event.data.reason;
    case 'SourceRecovered':
      return null;
    default:
      return assertNever(event);
  }
}

function decide({ dataset, fault }: ReportSource, source: Source): Decision<SourceFact, never> {
  if ((fault?.reason ?? null) === source) return accept();
  if (fault === null) return accept({ type: 'SourceRecovered', data: { dataset } });
  return accept({ type: 'SourceDegraded', data: { dataset, ...fault } });
}
