import { expect } from 'chai';
import fc from 'fast-check';
import { timestamp } from '../../events/common.ts';

const takes = (text: string): boolean => timestamp.safeParse(text).success;

describe('A time in an event', () => {
  it('is any instant of four-digit years, as ECMAScript writes it', () => {
    const instant = fc.date({
      min: new Date('0000-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(instant, (date) => takes(date.toISOString())));
  });

  for (const absent of ['2026-02-29', '2028-02-30', '2100-02-29', '2026-04-31', '2026-11-00', '2026-13-01'])
    it(`is not on ${absent}, which there is not`, () => {
      expect(takes(`${absent}T12:00:00.000Z`)).to.equal(false);
    });

  for (const other of ['2026-11-27', '2026-11-27T09:30:00Z', '2026-11-27T24:00:00.000Z', '', 'soon'])
    it(`is not written ${JSON.stringify(other)}`, () => {
      expect(takes(other)).to.equal(false);
    });
});
