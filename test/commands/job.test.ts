import { expect } from 'chai';
import { JOB_STATUSES } from '../../events/job-status.ts';
import { type JobCommand, jobDecider } from '../../commands/job/job.ts';
import type { JobFact } from '../../events/job-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { draft, jobFacts, jobId, jobIn, payment } from '../support/sample-job.ts';

const given = scenarios(jobDecider);
const LATER = '2026-11-28T09:30:00.000Z';

const STATES = ['absent', ...JOB_STATUSES] as const;
const commands = {
  CreateTrial: { type: 'CreateTrial', draft },
  FundJob: { type: 'FundJob', payment: { ...payment, reference: 'another payment' } },
  StartJob: { type: 'StartJob' },
  CompleteJob: { type: 'CompleteJob' },
  FailJob: { type: 'FailJob', code: 'unreadable', message: 'An image without text.' },
  CancelJob: { type: 'CancelJob' },
  ExpireJob: { type: 'ExpireJob' },
  RefundJob: { type: 'RefundJob', reason: 'The agency withdrew.' },
} as const satisfies Readonly<Record<string, JobCommand>>;
type Lifecycle = keyof typeof commands;

const funded = { type: 'JobFunded', data: { jobId, payment: commands.FundJob.payment } } as const;
const { drafted, started, completed, failed, cancelled, expired, refunded } = jobFacts;

/** What each command makes of a job in each state: a fact, nothing (-), or no (x). A column for each of STATES. */
type Cell = JobFact | '-' | 'x';
// oxfmt-ignore
const table: Record<Lifecycle, readonly Cell[]> = {
  //             absent   draft      funded    running    completed failed cancelled expired refunded
  CreateTrial:  [drafted, '-',       '-',      '-',       '-',      '-',   '-',      '-',    '-'],
  FundJob:      ['x',     funded,    'x',      'x',       'x',      'x',   'x',      'x',    'x'],
  StartJob:     ['x',     'x',       started,  'x',       'x',      'x',   'x',      'x',    'x'],
  CompleteJob:  ['x',     'x',       'x',      completed, 'x',      'x',   'x',      'x',    'x'],
  FailJob:      ['x',     'x',       'x',      failed,    'x',      'x',   'x',      'x',    'x'],
  CancelJob:    ['x',     cancelled, 'x',      'x',       'x',      'x',   '-',      'x',    'x'],
  ExpireJob:    ['x',     expired,   '-',      '-',       '-',      '-',   '-',      '-',    '-'],
  RefundJob:    ['x',     'x',       refunded, refunded,  'x',      'x',   'x',      'x',    'x'],
};

describe('A job answers each command in each of its states', () => {
  for (const command of Object.values(commands)) {
    describe(command.type, () => {
      for (const [column, status] of STATES.entries()) {
        const cell = cellOf(command.type, column);
        it(`${status}: ${meaning(cell)}`, () => {
          const decided = given(...jobIn(status)).when(command, LATER);
          if (cell === '-') decided.thenNothing();
          else if (cell !== 'x') decided.thenFacts(cell);
          else decided.thenRejected(status === 'absent' ? { kind: 'absent' } : { kind: 'state', status });
        });
      }
    });
  }

  it('and is then in the state that the table says', () => {
    for (const status of JOB_STATUSES) expect(given(...jobIn(status)).state).to.include({ status });
  });
});

describe('A payment', () => {
  const again = { type: 'FundJob', payment } as const;

  for (const status of ['funded', 'running', 'completed', 'failed', 'refunded'] as const) {
    it(`that arrives twice changes nothing, also when the job is ${status} by then`, () => {
      given(...jobIn(status))
        .when(again, LATER)
        .thenNothing();
    });
  }

  it('of another provider is another payment, whatever its reference', () => {
    given(...jobIn('funded'))
      .when({ type: 'FundJob', payment: { ...payment, provider: 'stripe' } }, LATER)
      .thenRejected({ kind: 'state', status: 'funded' });
  });

  it('for an expired draft is refused: it has to be given back', () => {
    given(...jobIn('expired'))
      .when(again, LATER)
      .thenRejected({ kind: 'state', status: 'expired' });
  });
});

describe('A draft', () => {
  it('does not expire before its time is over', () => {
    given(...jobIn('draft'))
      .when(commands.ExpireJob, '2026-11-28T09:29:59.999Z')
      .thenRejected({ kind: 'not_due', fundingExpiresAt: draft.fundingExpiresAt });
  });

  it('expires in the very instant in which its time is over', () => {
    given(...jobIn('draft'))
      .when(commands.ExpireJob, draft.fundingExpiresAt)
      .thenFacts(expired);
  });

  it('that stands already is left as it is, also by a draft that differs', () => {
    given(...jobIn('draft'))
      .when({ type: 'CreateTrial', draft: { ...draft, amountCents: 1 } }, LATER)
      .thenNothing();
  });

  it('keeps no text of its order in its state: thousands of states are kept in memory', () => {
    const text = { ciphertext: 'A'.repeat(80_000), digest: '' };
    const event = { type: 'TrialDrafted', data: { ...draft, text }, at: LATER } as const;
    expect(JSON.stringify(jobDecider.evolve(jobDecider.initial, event))).to.not.include(text.ciphertext);
  });
});

function cellOf(command: Lifecycle, column: number): Cell {
  const cell = table[command][column];
  if (cell === undefined) throw new Error(`the table has no column ${column} for ${command}`);
  return cell;
}

function meaning(cell: Cell): string {
  if (cell === '-') return 'nothing to do';
  return cell === 'x' ? 'refused' : cell.type;
}
