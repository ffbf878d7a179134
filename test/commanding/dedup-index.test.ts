/** What a stream remembers of the commands it answered: exact, though it holds hardly more than a number for each. */
import { expect } from 'chai';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { type DedupIndex, createDedupIndex } from '../../src/commanding/dedup-index.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { newEvent } from '../support/new-event.ts';
import { grantNew, netCents, spendOf, tell } from '../support/run-commands.ts';

const NOON = '2026-11-27T12:00:00.000Z';
const HOUR_MS = 60 * 60 * 1_000;

const EVENT = { ...newEvent(), streamId: 'stream-1' };

function add(memory: DedupIndex, commandId: string, revision: number, at = NOON): void {
  memory.add({ ...EVENT, at, revision, meta: { ...EVENT.meta, commandId } });
}

function hoursAfterNoon(hours: number): string {
  return new Date(Date.parse(NOON) + hours * HOUR_MS).toISOString();
}

/** Two ids that share a fingerprint: so many are tried that two must meet. */
const TWINS = twins();

function twins(): readonly [string, string] {
  const memory = createDedupIndex(0);
  for (let n = 0; ; n += 1) {
    const found = memory.find(`command-${n}`);
    if (found !== undefined) return [`command-${found}`, `command-${n}`];
    add(memory, `command-${n}`, n);
  }
}

describe('The memory of commands', () => {
  it('tells of each command where its events begin, however many it has', () => {
    const memory = createDedupIndex(0);
    add(memory, 'a', 0);
    add(memory, 'b', 1);
    add(memory, 'b', 2);
    add(memory, 'c', 3);

    expect(['a', 'b', 'c', 'd'].map(memory.find)).to.deep.equal([0, 1, 3, undefined]);
    expect(memory.size()).to.equal(3);
  });

  it('tells commands apart that share a fingerprint', () => {
    const [one, other] = TWINS;
    const memory = createDedupIndex(0);
    add(memory, one, 0);
    add(memory, other, 1);

    expect([one, other].map(memory.find)).to.deep.equal([0, 1]);
  });

  it('is not changed by events that it holds already', () => {
    const memory = createDedupIndex(0);
    for (let round = 0; round < 2; round += 1) {
      add(memory, 'a', 0);
      add(memory, 'b', 1);
      add(memory, 'b', 2);
    }

    expect(['a', 'b'].map(memory.find)).to.deep.equal([0, 1]);
    expect(memory.size()).to.equal(2);
  });

  it('holds the last of several commands with one id', () => {
    const memory = createDedupIndex(0);
    add(memory, 'a', 0);
    add(memory, 'a', 1, hoursAfterNoon(30));

    expect(memory.find('a')).to.equal(1);
  });

  it('forgets hours that are over, and no command of an hour that is not', () => {
    const memory = tenHours();
    memory.forget(Date.parse(hoursAfterNoon(4)), Infinity);

    expect(memory.from()).to.equal(4);
    expect(memory.size()).to.equal(6);
    expect(['at 3', 'at 4', 'at 9'].map(memory.find)).to.deep.equal([undefined, 4, 9]);
  });

  it('forgets nothing that came in today, whatever the clock said when it did', () => {
    const memory = tenHours(24);
    memory.forget(Date.parse(hoursAfterNoon(9)), Infinity);

    expect(memory.from()).to.equal(0);
    expect(memory.size()).to.equal(10);
  });

  it('forgets nothing from the revision on that is to be kept', () => {
    const memory = tenHours();
    memory.forget(Date.parse(hoursAfterNoon(9)), 2);

    expect(memory.from()).to.equal(2);
    expect(memory.find('at 2')).to.equal(2);
  });
});

/** A command in each of ten hours by the clock, all of which came in so long ago by one that nobody sets. */
function tenHours(heldHours = 26): DedupIndex {
  let steadyMs = 0;
  const memory = createDedupIndex(0, () => steadyMs);
  for (let hour = 0; hour < 10; hour += 1) add(memory, `at ${hour}`, hour, hoursAfterNoon(hour));
  steadyMs += heldHours * HOUR_MS;
  return memory;
}

describe('A command whose id shares its fingerprint with that of another', () => {
  it('is a command of its own, and each is answered once', async () => {
    const store = memoryEventStore();
    const runner = createCommandRunner(store);
    const mandateId = await grantNew(runner);
    for (const kind of ['accepted', 'replayed']) {
      for (const commandId of TWINS) {
        const outcome = await tell(runner, mandateId, spendOf(100), { commandId, requestHash: commandId });
        expect(outcome.kind).to.equal(kind);
      }
    }
    expect(await netCents(store, mandateId)).to.equal(200);
  });
});
