import { expect } from 'chai';
import type { z } from 'zod';
import {
  currentVersion,
  decodeEvent,
  eventCatalog,
  sealData,
  UndecodableEvent,
} from '../../events/catalog.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { recordEvent, sealEvent } from '../../events/sealed-event.ts';
import { newEvent } from '../support/new-event.ts';
import { fixtureName, readFixtures } from './fixtures.ts';

describe('The catalogue of events', () => {
  it('has each type once', () => {
    const types = eventCatalog.map(({ type }) => type);
    expect(types).to.deep.equal([...new Set(types)]);
  });

  for (const { type, version, summary, data, example } of eventCatalog) {
    describe(type, () => {
      it('has an example that is just what its schema says, and survives being stored', () => {
        const stored: unknown = JSON.parse(JSON.stringify(example));
        expect(stored).to.deep.equal(example);
        expect(data.parse(stored)).to.deep.equal(example);
      });

      it('refuses data with a field that it does not know', () => {
        expect(data.safeParse({ ...example, surprise: true }).success).to.equal(false);
      });

      it('says in a sentence when it happens', () => {
        expect(summary).to.match(/^[A-Z][^\n]*\.$/);
      });

      it('is written in its current version', () => {
        expect(currentVersion(type)).to.equal(version);
      });
    });
  }
});

describe('The compiled schema of an event', () => {
  for (const { type, version, data: schema, example } of eventCatalog) {
    it(`says of the data of ${type} what the schema says`, () => {
      for (const data of [example, ...mutants(example)]) {
        const asked = schema.safeParse(data);
        const decode = (): unknown => decodeEvent(recorded({ type, version, data: data as object })).data;
        if (asked.success) expect(decode()).to.deep.equal(asked.data);
        else for (const text of toldOf(asked.error)) expect(decode, text).to.throw(UndecodableEvent, text);
      }
    });
  }
});

/** As many faults as stand in one line. */
function toldOf({ issues }: z.ZodError): readonly string[] {
  return issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'the data'}: ${message}`);
}

const WRONG_VALUES = [
  null,
  '',
  'x',
  -1,
  1.5,
  2 ** 60,
  true,
  [],
  ['x'],
  {},
  { a: [{ b: 1 }] },
  { a: Number.NaN },
];

/** The value with each of its parts left out, replaced, or joined by one more. */
function* mutants(value: unknown): Iterable<unknown> {
  yield* WRONG_VALUES;
  if (Array.isArray(value)) {
    for (const [i, element] of value.entries()) {
      for (const mutant of mutants(element)) yield value.with(i, mutant);
    }
  } else if (value !== null && typeof value === 'object') {
    yield { ...value, surprise: 1 };
    for (const [name, member] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
      for (const mutant of mutants(member)) yield { ...value, [name]: mutant };
    }
  }
}

describe('What was ever written can be read today', () => {
  const fixtures = readFixtures();

  for (const { type, version: current } of eventCatalog) {
    for (let version = 1; version <= current; version += 1) {
      const name = fixtureName(type, version);
      it(name, () => {
        const data = fixtures.get(name);
        expect(data, `no fixture: npx tsx test/events/write-fixtures.ts`).not.to.equal(undefined);
        const decoded = decodeEvent(recorded({ type, version, data: data ?? {} }));
        expect(decoded).to.include({ type, version: current });
      });
    }
  }

  it('also when its type is not written any more: no fixture is left without a definition', () => {
    const known = eventCatalog.flatMap(({ type, version }) =>
      Array.from({ length: version }, (_, index) => fixtureName(type, index + 1)),
    );
    expect(known).to.include.members([...fixtures.keys()]);
  });
});

describe('Decoding a stored event', () => {
  const [{ type, version, example }] = eventCatalog;

  it('keeps everything but the version and the data as it is stored', () => {
    const stored = recorded({ type, version, data: example });
    expect(decodeEvent(stored)).to.deep.equal(stored);
  });

  it('does not parse again what was checked when it was written', () => {
    const stored = recorded({ type, version, data: example });
    expect(decodeEvent(stored).data).not.to.equal(example);
    const own = recordEvent(sealEvent(stored, sealData(stored), JSON.stringify(stored.meta)), stored);
    expect(decodeEvent(own).data).to.equal(example);
    expect(() => decodeEvent({ ...own, data: {} })).to.throw(UndecodableEvent);
    expect(() => decodeEvent(recordEvent({ ...own, data: {} }, own))).to.throw(UndecodableEvent);
  });

  it('brings what was sealed in another version to its own all the same', () => {
    const stored = recorded({ type, version: version - 1, data: example });
    const own = recordEvent(sealEvent(stored, '{}', '{}'), stored);
    expect(() => decodeEvent(own)).to.throw(`no upcaster from ${type} version ${version - 1}`);
  });

  for (const [what, broken] of Object.entries({
    'a type that it does not know': { type: 'NeverHeardOf' },
    'a version that is newer than the program': { version: version + 1 },
    'data that break the schema': { data: {} },
  })) {
    it(`refuses ${what}, and names the event`, () => {
      const stored = recorded({ type, version, data: example, ...broken });
      expect(() => decodeEvent(stored)).to.throw(UndecodableEvent, stored.id);
    });
  }
});

function recorded(event: Pick<RecordedEvent, 'type' | 'version' | 'data'>): RecordedEvent {
  return { ...newEvent(event), streamId: 'stream-1', revision: 0, position: '1' };
}
