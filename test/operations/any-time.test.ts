import { expect } from 'chai';
import { anyTime, dayOrTime } from '../../src/operations/schemas/any-time.ts';

describe('a time as callers write it', () => {
  const moments: readonly (readonly [string, string])[] = [
    ['2026-11-27T09:30:00.000Z', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27T09:30:00Z', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27t09:30:00z', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27 09:30:00Z', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27T10:30:00+01:00', '2026-11-27T09:30:00.000Z'],
    ['2026-11-26T23:30:00.5-10:00', '2026-11-27T09:30:00.500Z'],
    ['2026-11-27T09:30:00.1239999Z', '2026-11-27T09:30:00.123Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ];
  for (const [text, moment] of moments) {
    it(`reads ${text}`, () => expect(anyTime.parse(text)).to.equal(moment));
  }

  for (const text of [
    '',
    '2026-11-27',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-27T24:00:00Z',
    '2026-11-27T09:30Z',
    '2026-11-27T09:30:00',
    '2026-11-27T09:30:00+1:00',
    'now',
    '9999-12-31T23:59:60Z',
    '9999-12-31T23:59:59-12:00',
    '0000-01-01T00:00:00+14:00',
  ]) {
    it(`refuses ${text || 'an empty text'}`, () => expect(anyTime.safeParse(text).success).to.equal(false));
  }

  it('may be a day where people write it', () => {
    expect(dayOrTime.parse('2026-11-27')).to.equal('2026-11-27T00:00:00.000Z');
    expect(dayOrTime.safeParse('2026-02-30').success).to.equal(false);
  });
});
