/** Payments that are late, double or unknown; files; and the secret of record webhooks. */
import { expect } from 'chai';
import { JOB_STATUSES } from '../../events/job-status.ts';
import { type JobCommand, jobDecider } from '../../commands/job/job.ts';
import type { JobFact } from '../../events/job-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { draft, jobFacts, jobId, jobIn, payment } from '../support/sample-job.ts';

const given = scenarios(jobDecider);
const LATER = '2026-11-28T09:30:00.000Z';
const at = LATER;
const STATES = ['absent', ...JOB_STATUSES] as const;

const begun = { provider: 'stripe', reference: 'pi_1' } as const;
const artifact = {
  artifactId: 'art_01kb3j5m8xe3vb0v6yq4s5t7wt',
  name: 'matches.csv',
  contentType: 'text/csv',
  sizeBytes: 3,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const commands = {
  AttachArtifact: { type: 'AttachArtifact', artifact },
  IssueRecordSecret: { type: 'IssueRecordSecret' },
  WithdrawLinks: { type: 'WithdrawLinks' },
  DiscloseOrder: { type: 'DiscloseOrder', reason: 'Ticket 4711.' },
  ReportPaymentPending: { type: 'ReportPaymentPending', payment: begun },
  ReportPaymentFailed: { type: 'ReportPaymentFailed', payment: begun, reason: 'The card was declined.' },
  ReceivePayment: {
    type: 'ReceivePayment',
    ofOwnAccount: false,
    payment: { ...payment, reference: 'late payment' },
  },
  RecordReturn: { type: 'RecordReturn', payment },
} as const satisfies Partial<{ [T in JobCommand['type']]: Extract<JobCommand, { type: T }> }>;

const attached = { type: 'ArtifactAttached', data: { jobId, ...artifact } } as const;
const secret = { type: 'RecordSecretIssued', data: { jobId, secretVersion: 1 } } as const;
const withdrawn = { type: 'JobLinksWithdrawn', data: { jobId, linkGeneration: 1 } } as const;
const disclosed = { type: 'OrderDisclosed', data: { jobId, reason: 'Ticket 4711.' } } as const;
const pending = { type: 'PaymentPending', data: { jobId, payment: begun } } as const;
const received = { jobId, payment: commands.ReceivePayment.payment };
const paid = { type: 'JobFunded', data: received } as const;
const surplus = { type: 'SurplusPaymentReceived', data: received } as const;
const returned = { type: 'PaymentReturned', data: { jobId, payment } } as const;

/** A fact, nothing (-), or no (x). A column for each of STATES. */
// oxfmt-ignore
const table: Record<keyof typeof commands, readonly (JobFact | '-' | 'x')[]> = {
  //                    absent draft     funded    running   completed failed    cancelled expired   refunded
  AttachArtifact:       ['x',  'x',      'x',      attached, 'x',      'x',      'x',      'x',      'x'],
  IssueRecordSecret:    ['x',  secret,   secret,   secret,   secret,   secret,   secret,   secret,   secret],
  WithdrawLinks:        ['x',  ...Array.from({ length: 8 }, () => withdrawn)],
  DiscloseOrder:        ['x',  ...Array.from({ length: 8 }, () => disclosed)],
  ReportPaymentPending: ['x',  pending,  'x',      'x',      'x',      'x',      'x',      'x',      'x'],
  ReportPaymentFailed:  ['x',  '-',      '-',      '-',      '-',      '-',      '-',      '-',      '-'],
  ReceivePayment:       ['x',  paid,     surplus,  surplus,  surplus,  surplus,  surplus,  surplus,  surplus],
  RecordReturn:         ['x',  returned, returned, returned, returned, returned, returned, returned, returned],
};

describe('A job answers what comes from providers and agencies in each of its states', () => {
  for (const command of Object.values(commands)) {
    for (const [column, status] of STATES.entries()) {
      const cell = table[command.type][column] ?? 'x';
      it(`${command.type}, ${status}: ${typeof cell === 'string' ? cell : cell.type}`, () => {
        const decided = given(...jobIn(status)).when(command, LATER);
        if (cell === '-') decided.thenNothing();
        else if (cell !== 'x') decided.thenFacts(cell);
        else decided.thenRejected(status === 'absent' ? { kind: 'absent' } : { kind: 'state', status });
      });
    }
  }
});

describe('A payment whose outcome is not known', () => {
  const waiting = [...jobIn('draft'), { ...pending, at }] as const;

  it('keeps the draft from being cancelled, expired or paid once more', () => {
    const another = {
      type: 'ReportPaymentPending',
      payment: { ...begun, reference: 'pi_2' },
    } as const;
    for (const command of [{ type: 'CancelJob' }, { type: 'ExpireJob' }, another] as const)
      given(...waiting)
        .when(command, LATER)
        .thenRejected({ kind: 'payment_pending' });
  });

  it('told again changes nothing', () => {
    given(...waiting)
      .when(commands.ReportPaymentPending, LATER)
      .thenNothing();
  });

  it('that came to nothing frees the draft', () => {
    const { reason } = commands.ReportPaymentFailed;
    const failure = { type: 'PaymentFailed', data: { jobId, payment: begun, reason } } as const;
    given(...waiting)
      .when(commands.ReportPaymentFailed, LATER)
      .thenFacts(failure);
    given(...waiting, { ...failure, at })
      .when({ type: 'CancelJob' }, LATER)
      .thenFacts(jobFacts.cancelled);
  });

  it('that was made funds the job, and is not pending any more', () => {
    const made = { ...begun, amountCents: payment.amountCents };
    const fact = { type: 'JobFunded', data: { jobId, payment: made } } as const;
    given(...waiting)
      .when({ type: 'ReceivePayment', ofOwnAccount: false, payment: made }, LATER)
      .thenFacts(fact);
    expect(given(...waiting, { ...fact, at }).state).to.include({ status: 'funded', pendingPayment: null });
  });
});

describe('What comes of a job counts among the outcomes', () => {
  const funded = (provider: 'test' | 'stripe', more: { ofOwnAccount?: true } = {}) => {
    const made = { provider, reference: 'pi_1', amountCents: payment.amountCents };
    return { type: 'JobFunded', data: { jobId, payment: made, ...more }, at } as const;
  };
  const running = (by: ReturnType<typeof funded>) =>
    given(...jobIn('draft'), by, { ...jobFacts.started, at });

  it('if real money paid it', () => {
    running(funded('stripe'))
      .when({ type: 'CompleteJob' }, LATER)
      .thenFacts({ ...jobFacts.completed, data: { ...jobFacts.completed.data, counts: true } });
    running(funded('stripe'))
      .when({ type: 'FailJob', code: 'unreadable', message: 'No text.' }, LATER)
      .thenFacts({
        type: 'JobFailed',
        data: { jobId, agent: draft.agent.slug, code: 'unreadable', message: 'No text.', counts: true },
      });
  });
  it('not if a test payment did, nor if the agency bought from itself', () => {
    for (const by of [funded('test'), funded('stripe', { ofOwnAccount: true })])
      running(by).when({ type: 'CompleteJob' }, LATER).thenFacts(jobFacts.completed);
  });
  it('as the payment says whose account it was', () => {
    const made = funded('stripe').data.payment;
    given(...jobIn('draft'))
      .when({ type: 'ReceivePayment', payment: made, ofOwnAccount: true }, LATER)
      .thenFacts({ type: 'JobFunded', data: { jobId, payment: made, ofOwnAccount: true } });
  });
});

describe('A payment that stays unknown', () => {
  const waiting = [...jobIn('draft'), { ...pending, at }] as const;
  const settle = (outcome: 'paid' | 'not_paid') =>
    ({ type: 'SettlePayment', outcome, reason: 'r', ofOwnAccount: false }) as const;
  const settled = (outcome: 'paid' | 'not_paid') => {
    return { type: 'PendingPaymentSettled', data: { jobId, payment: begun, outcome, reason: 'r' } } as const;
  };

  it('is settled as paid, and funds the job', () => {
    const made = { ...begun, amountCents: payment.amountCents };
    given(...waiting)
      .when(settle('paid'), LATER)
      .thenFacts(settled('paid'), { type: 'JobFunded', data: { jobId, payment: made } });
  });

  it('is settled as not paid; what the provider tells later is still taken in', () => {
    const failed = { type: 'PaymentFailed', data: { jobId, payment: begun, reason: 'r' } } as const;
    given(...waiting)
      .when(settle('not_paid'), LATER)
      .thenFacts(settled('not_paid'), failed);
    const after = [...waiting, { ...settled('not_paid'), at }, { ...failed, at }] as const;
    given(...after)
      .when({ type: 'CancelJob' }, LATER)
      .thenFacts(jobFacts.cancelled);
    const made = { ...begun, amountCents: payment.amountCents };
    given(...after)
      .when({ type: 'ReceivePayment', payment: made, ofOwnAccount: false }, LATER)
      .thenFacts({ type: 'JobFunded', data: { jobId, payment: made } });
  });

  it('funds as a purchase from itself where the account is the agency’s own', () => {
    const made = { ...begun, amountCents: payment.amountCents };
    const data = { jobId, payment: made, ofOwnAccount: true } as const;
    given(...waiting)
      .when({ ...settle('paid'), ofOwnAccount: true }, LATER)
      .thenFacts(settled('paid'), { type: 'JobFunded', data });
  });

  it('is settled only while it is unknown', () => {
    for (const outcome of ['paid', 'not_paid'] as const)
      given().when(settle(outcome), LATER).thenRejected({ kind: 'absent' });
    for (const status of JOB_STATUSES)
      given(...jobIn(status))
        .when(settle('paid'), LATER)
        .thenRejected({ kind: 'no_payment_pending' });
  });
});

describe('Money that has moved', () => {
  it('is recorded once, whatever the job had become', () => {
    for (const status of ['expired', 'cancelled', 'completed'] as const)
      given(...jobIn(status), { ...surplus, at })
        .when(commands.ReceivePayment, LATER)
        .thenNothing();
  });

  it('funds no draft that costs more', () => {
    const little = { ...payment, amountCents: payment.amountCents - 1 };
    given(...jobIn('draft'))
      .when({ type: 'ReceivePayment', ofOwnAccount: false, payment: little }, LATER)
      .thenFacts({ type: 'SurplusPaymentReceived', data: { jobId, payment: little } });
  });

  it('is given back once', () => {
    given(...jobIn('refunded'), { ...returned, at })
      .when(commands.RecordReturn, LATER)
      .thenNothing();
  });
});

describe('What is delivered', () => {
  it('is bounded', () => {
    const many = Array.from({ length: 500 }, () => ({ ...attached, at }));
    given(...jobIn('running'), ...many)
      .when(commands.AttachArtifact, LATER)
      .thenRejected({ kind: 'too_many_artifacts', limit: 500 });
  });

  it('on a condition is refused where a file came since, and taken where none did', () => {
    const onCondition = { ...commands.AttachArtifact, attachments: 1 } as const;
    for (const other of [[], [attached, attached]])
      given(...jobIn('running'), ...other.map((one) => ({ ...one, at })))
        .when(onCondition, LATER)
        .thenRejected({ kind: 'other_files' });
    given(...jobIn('running'), { ...attached, at })
      .when(onCondition, LATER)
      .thenFacts(attached);
  });
});
