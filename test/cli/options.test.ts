import { expect } from 'chai';
import { momentText } from '../../src/cli/options.ts';

describe('a moment on the command line', () => {
  for (const [text, moment] of [
    ['2026-12-31', '2026-12-31T00:00:00.000Z'],
    ['2026-12-31T23:59:59Z', '2026-12-31T23:59:59.000Z'],
    ['2026-12-31T23:59:59.999+13:00', '2026-12-31T10:59:59.999Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ] as const) {
    it(`${text} is ${moment}`, () => expect(momentText.parse(text)).to.equal(moment));
  }

  for (const text of [
    '2026-02-30',
    '2026-02-29T00:00:00Z',
    '2026-04-31T12:00:00+02:00',
    'tomorrow',
    '2026-12',
    '2026-12-31T25:00Z',
  ]) {
    it(`${text} is refused: no mandate ends on another day than was written`, () =>
      expect(momentText.safeParse(text).success).to.equal(false));
  }
});
