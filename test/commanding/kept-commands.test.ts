/** What a stream that this process knows goes on remembering, when its clock says that a day has passed. */
import { expect } from 'chai';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import type { EventStore } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { decideAndAppend } from '../../src/commanding/decide-and-append.ts';
import { erased } from '../../src/commanding/decide-batch.ts';
import { createDedupIndex } from '../../src/commanding/dedup-index.ts';
import { loadFold, REMEMBERED_EVENTS, type StreamFold } from '../../src/commanding/stream-fold.ts';
import { readAll } from '../support/event-log.ts';
import { call, grantNew, spendOf, tell } from '../support/run-commands.ts';

const HOUR_MS = 60 * 60 * 1_000;
const hour = (hours: number): string =>
  new Date(Date.parse('2026-11-27T10:00:00.000Z') + hours * HOUR_MS).toISOString();

describe('A stream whose commands a fast clock holds for old', () => {
  let store: EventStore;
  let mandateId: string;
  beforeEach(() => void (store = memoryEventStore()));

  /** The stream up to this revision: `once` is 1, the others are of the next hour, and all came in a day ago. */
  async function heldForADay(revision: number): Promise<StreamFold<unknown>> {
    const runner = createCommandRunner(store);
    mandateId = await grantNew(runner, { maxMonthlyCents: 10_000_000 });
    await tell(runner, mandateId, spendOf(100), { commandId: 'once', at: hour(0) });
    const streamId = `mandate-${mandateId}`;
    while (runner.knownRevision(streamId) < revision)
      await tell(runner, mandateId, spendOf(1), { at: hour(1) });
    let steadyMs = 0;
    const commands = createDedupIndex(0, () => steadyMs);
    for (const event of await readAll(store, streamId)) commands.add(event);
    steadyMs += 26 * HOUR_MS;
    return { ...(await loadFold(store, mandateDecider, streamId, { now: hour(1) })), commands };
  }
  /** What becomes of the same command, asked for two days later by this clock. */
  async function again(fold: StreamFold<unknown>): Promise<unknown> {
    const asked = call({ commandId: 'once', at: hour(48) });
    const entry = { decider: erased(mandateDecider), command: spendOf(100), call: asked };
    const { plan } = await decideAndAppend(store, fold, `mandate-${mandateId}`, [
      { ...entry, dependentOf: undefined },
    ]);
    return plan.answers[0]?.kind;
  }

  it('is answered as before while no more than a hundred events came after it', async () => {
    const fold = await heldForADay(1 + REMEMBERED_EVENTS);
    expect(fold.revision).to.equal(1 + REMEMBERED_EVENTS);
    expect(await again(fold)).to.equal('handled');
    expect(fold.commands.from()).to.equal(1);
  });

  it('is free again once more did: a memory does not grow for ever', async () => {
    const fold = await heldForADay(2 + REMEMBERED_EVENTS);
    expect(fold.revision).to.equal(2 + REMEMBERED_EVENTS);
    expect(await again(fold)).to.equal('accepted');
    expect(fold.commands.from()).to.equal(2);
  });
});
