/** Ids sort by time, carry a UUIDv7 and are the same again for the same seed. */
import { createHash, type UUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type * as ids from '../../events/ids.ts';
import {
  freshId,
  ID_PREFIXES,
  type IdKind,
  idBeside,
  idFrom,
  idFromUuid,
  idSchema,
  timeOf,
  uuidOf,
  isIdOf,
} from '../../events/ids.ts';
import { anew } from '../support/anew.ts';

const kinds = Object.keys(ID_PREFIXES) as IdKind[];
/** Until 10889, when the 48 bits of a UUIDv7 are used up; Date.parse takes four-digit years. */
const instant = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

describe('ids', () => {
  it('carry the example of RFC 9562, appendix A.6', () => {
    const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    const id = idFromUuid('job', uuid);

    expect(uuidOf(id)).to.equal(uuid);
    expect(id.slice(4)).to.equal(crockford(BigInt(`0x${uuid.replaceAll('-', '')}`)));
  });

  it('carry a UUID of version 7 and the variant of RFC 9562, with the time in front', () => {
    fc.assert(
      fc.property(instant, fc.string(), (at, seed) => {
        expect(timeOf(idFrom('event', at, seed))).to.equal(at);
        const uuid = uuidOf(idFrom('event', at, seed));
        expect(uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).to.equal(Date.parse(at));
      }),
    );
  });

  it('of two kinds, made at one time from one seed, differ by their prefixes alone', () => {
    fc.assert(
      fc.property(instant, fc.string(), (at, seed) => {
        expect(idBeside('job', idFrom('spend', at, seed))).to.equal(idFrom('job', at, seed));
      }),
    );
  });

  it('take the bits that are free from the SHA-256 of the seed', () => {
    fc.assert(
      fc.property(instant, fc.string(), (at, seed) => {
        const digest = createHash('sha256').update(seed).digest('hex');
        const free = (uuid: string): string => uuid.replaceAll('-', '').slice(13);
        const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
        expect(free(uuidOf(idFrom('event', at, seed)))).to.equal(
          digest.slice(13, 16) + variant + digest.slice(17, 32),
        );
      }),
    );
  });

  it('take those bits from a random UUID where they are to be fresh, and neither its version nor its variant', () => {
    fc.assert(
      fc.property(instant, fc.uuid({ version: 4 }), (at, random) => {
        const digits = random.replaceAll('-', '');
        const given = digits.slice(20) + digits.slice(0, 8);
        const variant = ((Number.parseInt(given.charAt(4), 16) & 0x3) | 0x8).toString(16);
        const id = freshId('request', at, random as UUID);
        expect(timeOf(id)).to.equal(at);
        expect(uuidOf(id).replaceAll('-', '').slice(12)).to.equal(
          `7${given.slice(1, 4)}${variant}${given.slice(5)}`,
        );
      }),
    );
  });

  it('are not made at a time that no UUIDv7 can tell', async () => {
    for (const at of ['', 'yesterday', '1969-12-31T23:59:59.999Z']) {
      // Also not as the first of all.
      const fresh = await anew<typeof ids>(new URL('../../events/ids.ts', import.meta.url));
      expect(() => fresh.idFrom('event', at, 'a'), at).to.throw(RangeError);
      expect(() => fresh.idFrom('event', at, 'a'), `${at} again`).to.throw(RangeError);
    }
  });

  it('are the same whatever was made before them, or could not be', () => {
    const wish = fc.record({
      kind: fc.constantFrom(...kinds),
      at: fc.constantFrom('2026-11-27T12:00:00.000Z', '2026-11-27T12:00:00.001Z', 'yesterday'),
      // Either a seed or a random UUID.
      source: fc.oneof(fc.constantFrom('a', 'b'), fc.uuid({ version: 4 })),
    });
    fc.assert(
      fc.property(fc.array(wish, { minLength: 2 }), (wishes) => {
        const inARow = wishes.map(madeOf);
        const alone = wishes.map((one) => {
          idFrom('account', '1970-01-01T00:00:00.000Z', 'in between');
          return madeOf(one);
        });
        expect(inARow).to.deep.equal(alone);
      }),
    );
  });

  it('give back every UUID that was put in', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(...kinds), (uuid, kind) => {
        expect(uuidOf(idFromUuid(kind, uuid))).to.equal(uuid);
      }),
    );
  });

  it('sort by time, to the millisecond', () => {
    fc.assert(
      fc.property(instant, instant, fc.string(), fc.string(), (a, b, seedA, seedB) => {
        fc.pre(a < b);
        expect(idFrom('job', a, seedA) < idFrom('job', b, seedB)).to.equal(true);
      }),
    );
    const [first, next] = ['2026-11-27T23:59:59.999Z', '2026-11-28T00:00:00.000Z'];
    expect(idFrom('job', first, 'b') < idFrom('job', next, 'a')).to.equal(true);
  });

  it('are the same for the same kind, time and seed, and differ where the seed does', () => {
    fc.assert(
      fc.property(instant, fc.string(), fc.string(), (at, seed, other) => {
        fc.pre(seed !== other);
        expect(idFrom('spend', at, seed)).to.equal(idFrom('spend', at, seed));
        expect(idFrom('spend', at, seed)).to.not.equal(idFrom('spend', at, other));
      }),
    );
  });

  it('are one word with the prefix of their kind, which their schema takes', () => {
    for (const kind of kinds) {
      const id = idFrom(kind, '2026-11-27T12:00:00.000Z', 'seed');
      expect(id).to.match(/^[a-z]{3}_\w{26}$/);
      expect(id.startsWith(`${ID_PREFIXES[kind]}_`)).to.equal(true);
      expect(idSchema(kind).safeParse(id).success).to.equal(true);
    }
    expect(new Set(Object.values(ID_PREFIXES)).size).to.equal(kinds.length);
  });

  it('are refused with another prefix, length, digit or a value beyond 128 bits', () => {
    const id = idFrom('job', '2026-11-27T12:00:00.000Z', 'seed');
    const broken = [
      id.replace('job_', 'key_'),
      id.slice(0, -1),
      `${id}0`,
      ` ${id}`,
      `${id}\n`,
      id.toUpperCase(),
      `${id.slice(0, -1)}u`,
      `job_8${id.slice(5)}`,
      '',
    ];
    for (const text of broken) {
      expect(idSchema('job').safeParse(text).success, text).to.equal(false);
      expect(isIdOf('job', text), text).to.equal(false);
    }
    expect(isIdOf('job', id)).to.equal(true);
  });
});

/** Crockford's base32 by arithmetic, to compare with. */
function madeOf({ kind, at, source }: { kind: IdKind; at: string; source: string }): string {
  try {
    return source.length === 1 ? idFrom(kind, at, source) : freshId(kind, at, source as UUID);
  } catch (error) {
    return String(error);
  }
}

function crockford(value: bigint): string {
  let text = '';
  for (let rest = value; text.length < 26; rest >>= 5n) {
    text = '0123456789abcdefghjkmnpqrstvwxyz'.charAt(Number(rest & 31n)) + text;
  }
  return text;
}
