import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const script = fileURLToPath(new URL('../support/month-ends.main.ts', import.meta.url));

/** The last and the first instant of months, a second spend in each, and leaps back that must open nothing again. */
const instants = [
  '2026-01-31T23:59:59.999Z',
  '2026-02-01T00:00:00.000Z',
  '2026-01-31T23:59:59.999Z',
  '2026-02-28T23:59:59.999Z',
  '2026-03-01T00:00:00.000Z',
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00.000Z',
  '2026-12-31T23:59:59.999Z',
  '2028-02-28T23:59:59.999Z',
  '2028-02-29T23:59:59.999Z',
  '2028-03-01T00:00:00.000Z',
  '2026-06-15T12:00:00.000Z',
];

const expected = {
  kinds: ['', '', 'no', 'no', '', '', '', 'no', '', 'no', '', 'no'].map((no) =>
    no === '' ? 'accepted' : 'rejected',
  ),
  written: [
    { type: 'MandateGranted', at: '2026-01-31T23:59:59.999Z', period: null },
    { type: 'MandateSpent', at: '2026-01-31T23:59:59.999Z', period: '2026-01' },
    ...opened('2026-02-01T00:00:00.000Z', '2026-02'),
    ...opened('2026-03-01T00:00:00.000Z', '2026-03'),
    ...opened('2026-12-31T23:59:59.999Z', '2026-12'),
    ...opened('2027-01-01T00:00:00.000Z', '2027-01'),
    ...opened('2028-02-28T23:59:59.999Z', '2028-02'),
    ...opened('2028-03-01T00:00:00.000Z', '2028-03'),
  ],
};

describe('Months are those of UTC, wherever the machine stands', () => {
  for (const [timeZone, offsetMinutes] of Object.entries({
    UTC: 0,
    'Pacific/Auckland': -780,
    'America/Los_Angeles': 480,
  })) {
    it(timeZone, async () => {
      const env = { ...process.env, TZ: timeZone };
      const args = ['--import', 'tsx', script, JSON.stringify(instants)];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(JSON.parse(stdout)).to.deep.equal({ offsetMinutes, ...expected });
    });
  }
});

function opened(at: string, period: string): object[] {
  return [
    { type: 'MandatePeriodOpened', at, period },
    { type: 'MandateSpent', at, period },
  ];
}
