/** Whoever changes one thing in a mandate's history is found out. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { RecordedEvent } from '../../events/event.ts';
import { auditOf } from '../support/sample-history.ts';
import { play, steps } from './mandate.arbitrary.ts';

/** Histories of at least two events, so that there is something to leave out and to exchange. */
const history = steps
  .map((wished) => play(wished).flatMap(({ events }) => events))
  .filter(({ length }) => length > 1);

type Tampering = readonly [before: readonly RecordedEvent[], after: readonly RecordedEvent[]];
type Tamper = (events: readonly RecordedEvent[], pick: fc.GeneratorValue) => RecordedEvent[];

function tampered(tamper: Tamper): fc.Arbitrary<Tampering> {
  return fc.tuple(history, fc.gen()).map(([events, pick]): Tampering => [events, tamper(events, pick)]);
}

const indexIn = (events: readonly unknown[], pick: fc.GeneratorValue, from = 0): number =>
  pick(fc.integer, { min: from, max: events.length - 1 });

describe('A mandate’s history in which one thing was changed', () => {
  it('a field of any event but the last: the audit finds it', async () => {
    const change: Tamper = (events, pick) => withChange(events, indexIn(events.slice(1), pick), pick);
    await expectFound(tampered(change));
  });

  it('a field of the last event: the audit finds it, or the head is not the one that was written down', async () => {
    await expectFoundOrOtherHead(tampered((events, pick) => withChange(events, events.length - 1, pick)));
  });

  it('an event missing that is not the last: the audit finds it', async () => {
    await expectFound(tampered((events, pick) => events.toSpliced(indexIn(events.slice(1), pick), 1)));
  });

  it('events missing at the end: the head is not the one that was written down', async () => {
    await expectFoundOrOtherHead(tampered((events, pick) => events.slice(0, indexIn(events, pick, 1))));
  });

  it('an event inserted, be it a copy of another or with an id of its own: the audit finds it', async () => {
    await expectFound(
      tampered((events, pick) => {
        const [copied] = events.slice(indexIn(events, pick));
        const id = pick(fc.boolean) ? 'evt_01m8e5e6e0f8q8cjs30rvq6826' : copied?.id;
        const inserted = copied === undefined || id === undefined ? [] : [{ ...copied, id }];
        return events.toSpliced(pick(fc.integer, { min: 0, max: events.length }), 0, ...inserted);
      }),
    );
  });

  it('an event moved to another place: the audit finds it', async () => {
    await expectFound(
      tampered((events, pick) => {
        const from = indexIn(events, pick);
        const to = (from + pick(fc.integer, { min: 1, max: events.length - 1 })) % events.length;
        return events.toSpliced(from, 1).toSpliced(to, 0, ...events.slice(from, from + 1));
      }),
    );
  });
});

async function expectFound(tampering: fc.Arbitrary<Tampering>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(tampering, async ([, after]) => {
      expect((await auditOf(after)).findings).not.to.deep.equal([]);
    }),
  );
}

async function expectFoundOrOtherHead(tampering: fc.Arbitrary<Tampering>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(tampering, async ([before, after]) => {
      const { findings, headHash } = await auditOf(after);
      const known = (await auditOf(before)).headHash;
      expect(findings.length > 0 || headHash !== known).to.equal(true);
    }),
  );
}

/** One value somewhere in the event at `index` is another one: any but its position, which belongs to one store. */
function withChange(
  events: readonly RecordedEvent[],
  index: number,
  pick: fc.GeneratorValue,
): RecordedEvent[] {
  return events.map((event, at) => {
    if (at !== index) return event;
    const { position, ...rest } = event;
    // It has the shape that it had, but for one value.
    return { ...(changedIn(rest, pick) as typeof rest), position };
  });
}

function changedIn(value: unknown, pick: fc.GeneratorValue): unknown {
  if (typeof value === 'number') return value + pick(fc.constantFrom, 1, -1, 100);
  if (typeof value === 'string') return otherText(value, pick);
  if (value === null) return pick(fc.constantFrom, 0, '', false);
  if (Array.isArray(value)) return [...value, 'one-more'];
  if (typeof value !== 'object') return !value;
  const names = Object.keys(value);
  const name = names.length === 0 ? undefined : pick(fc.constantFrom, ...names);
  if (name === undefined) return { surprise: true };
  return { ...value, [name]: changedIn(new Map(Object.entries(value)).get(name), pick) };
}

function otherText(text: string, pick: fc.GeneratorValue): string {
  const at = pick(fc.integer, { min: 0, max: text.length });
  return pick(fc.boolean) && at < text.length
    ? text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1)
    : `${text.slice(0, at)}x${text.slice(at)}`;
}
