/** A record that a job produced in its buyer's system. It is asserted once; the same assertion again adds nothing. */
import { accept, type Decider } from '../decider.ts';
import type { RecordFact } from '../../events/record-events.ts';

export interface AssertRecord {
  readonly type: 'AssertRecord';
  readonly record: RecordFact['data'];
}

export type AssertedRecord = 'absent' | 'asserted';

export const recordDecider: Decider<AssertedRecord, AssertRecord, RecordFact, never> = {
  family: 'record',
  initial: 'absent',
  evolve: () => 'asserted',
  decide: ({ record }, state) =>
    state === 'asserted' ? accept() : accept({ type: 'RecordAsserted', data: record }),
};
