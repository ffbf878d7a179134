/** Histories of mandates as the command runner writes them, and ways to falsify them. */
import { randomUUID } from 'node:crypto';
import type { MandateCommand } from '../../commands/mandate/mandate.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import { eventHash, GENESIS } from '../../events/hash-chain.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { auditMandate, type MandateAudit } from '../../src/audit/audit-mandate.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { readAll } from './event-log.ts';
import { newMandateId, tell } from './run-commands.ts';
import { grant } from './sample-mandate.ts';

/** What the runner writes when a mandate is granted and these commands follow, each at its time. */
export async function historyOf(
  grantedAt: string,
  commands: readonly (readonly [command: MandateCommand, at: string])[],
  terms: Parameters<typeof grant>[0] = {},
): Promise<RecordedEvent[]> {
  const store = memoryEventStore();
  const runner = createCommandRunner(store);
  const mandateId = newMandateId();
  await tell(runner, mandateId, { ...grant(terms), mandateId }, { at: grantedAt });
  for (const [command, at] of commands)
    await tell(runner, mandateId, command, { at, requestId: randomUUID() });
  return readAll(store, `mandate-${mandateId}`);
}

/** The audit of these very events, whatever they are. */
export function auditOf(events: readonly RecordedEvent[], asOf: string | null = null): Promise<MandateAudit> {
  const stream: Pick<EventStore, 'read'> = {
    async *read() {
      yield* events;
    },
  };
  return auditMandate(stream, 'any', asOf);
}

/** The events numbered from the first on. */
export function numberedAnew(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map((event, revision) => ({ ...event, revision }));
}

/** The history as a forger would leave it: chained again, so that only what it claims gives it away. */
export function chainedAnew(events: readonly RecordedEvent[]): RecordedEvent[] {
  const forged: RecordedEvent[] = [];
  let prev = GENESIS;
  for (const event of events) {
    const next = { ...event, meta: { ...event.meta, prev } };
    prev = eventHash(next);
    forged.push(next);
  }
  return forged;
}
