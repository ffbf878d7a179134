/** A budget resets at the same instant everywhere: the month in UTC, whatever zone the machine is in. */
import { expect } from 'chai';
import fc from 'fast-check';
import { periodOf, periodSchema } from '../../events/period.ts';

/** The last millisecond of a period, and the two periods that meet there. */
const ends = [
  ['2026-01-31T23:59:59.999Z', '2026-01', '2026-02'],
  ['2026-02-28T23:59:59.999Z', '2026-02', '2026-03'],
  ['2028-02-29T23:59:59.999Z', '2028-02', '2028-03'],
  ['2100-02-28T23:59:59.999Z', '2100-02', '2100-03'],
  ['2026-04-30T23:59:59.999Z', '2026-04', '2026-05'],
  ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01'],
] as const;

for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Pacific/Chatham']) {
  describe(`the period of an instant, on a machine in ${zone}`, () => {
    const zoneBefore = process.env['TZ'];

    before(() => {
      process.env['TZ'] = zone;
      // Without this the other tests would prove nothing.
      expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).to.equal(zone);
    });

    after(() => {
      if (zoneBefore === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zoneBefore;
    });

    for (const [end, ending, beginning] of ends) {
      it(`is ${ending} until ${end} and ${beginning} a millisecond later`, () => {
        const next = new Date(Date.parse(end) + 1).toISOString();
        expect(periodOf(end)).to.equal(ending);
        expect(periodOf(next)).to.equal(beginning);
      });
    }

    it('is a leap day’s own month, all day long', () => {
      expect(periodOf('2028-02-29T00:00:00.000Z')).to.equal('2028-02');
      expect(periodOf('2028-02-29T12:00:00.000Z')).to.equal('2028-02');
    });

    it('follows the instant, not the offset it was written with', () => {
      expect(periodOf('2026-12-01T00:30:00.000+13:00')).to.equal('2026-11');
      expect(periodOf('2026-11-30T20:30:00.000-08:00')).to.equal('2026-12');
    });

    it('only moves forward with time, and is a period by its schema', () => {
      const instant = fc.date({
        min: new Date('2000-01-01T00:00:00.000Z'),
        max: new Date('2199-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      });
      fc.assert(
        fc.property(instant, instant, (a, b) => {
          const [first, second] = [a, b].map((date) => periodOf(date.toISOString())) as [string, string];
          expect(periodSchema.safeParse(first).success).to.equal(true);
          expect(first <= second || a > b).to.equal(true);
        }),
      );
    });
  });
}

describe('a period', () => {
  it('is a month with four and two digits', () => {
    for (const text of ['2026-01', '2026-12', '1999-09']) {
      expect(periodSchema.safeParse(text).success, text).to.equal(true);
    }
    for (const text of ['2026-00', '2026-13', '2026-1', '26-01', '2026-01-01', '2026-01\n', '']) {
      expect(periodSchema.safeParse(text).success, text).to.equal(false);
    }
  });
});
