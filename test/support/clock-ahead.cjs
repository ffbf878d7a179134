/**
 * Preloaded (`NODE_OPTIONS=--require`), it sets the clock of a test run, its threads and its processes ahead by the days
 * that DAYS_AHEAD says: so that a test that holds only until some day fails now, and not on that day.
 */
const aheadMs = Number(process.env.DAYS_AHEAD) * 24 * 60 * 60 * 1_000;
if (!Number.isFinite(aheadMs)) throw new Error('DAYS_AHEAD must say how many days');

const RealDate = Date;
class DateAhead extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(DateAhead.now());
    else super(...given);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
}
Object.defineProperty(DateAhead, 'name', { value: 'Date' });
globalThis.Date = new Proxy(DateAhead, { apply: () => String(new DateAhead()) });
