import { expect } from 'chai';
import { getSpending, SUMMED_BYTES_PER_MINUTE } from '../../src/operations/jobs/get-spending.ts';
import type { KeyedCall } from '../../src/operations/operation.ts';
import type { Services } from '../../src/operations/services.ts';

const AT = '2026-11-30T12:00:00.000Z';
const ROW_CHARS = 16 * 1_024 * 1_024;
/** A little more than a minute has: it goes on while it is asked again. */
const ROWS = Math.ceil(SUMMED_BYTES_PER_MINUTE / ROW_CHARS) + 4;

describe('Sums of the spends of an account that are asked for again and again', () => {
  const row = JSON.stringify({
    id: 'job_a',
    createdAt: AT,
    keyId: 'key_a',
    status: 'draft',
    agent: { slug: 'invoice-matcher' },
    amountCents: 1,
    text: { ciphertext: 'A'.repeat(ROW_CHARS) },
  });
  let given = 0;
  const services = {
    events: { head: async () => null },
    views: {
      async page() {
        given += 1;
        return { rows: [row], next: given % ROWS === 0 ? null : [AT, 'job_a'], total: ROWS };
      },
    },
  } as unknown as Services;
  const callOf = (accountId: string, signal = new AbortController().signal) =>
    ({ at: AT, signal, caller: { accountId } }) as unknown as KeyedCall;
  const sums = (call: KeyedCall) => getSpending.run({ groupBy: 'agent' }, call, services);
  beforeEach(() => (given = 0));

  it('wait once they have read as much as a minute has; other accounts do not', async function () {
    this.timeout(120_000);
    expect(await sums(callOf('acc_often'))).to.have.nested.property('meta.total.jobs', ROWS);
    const again = await sums(callOf('acc_often'));
    expect(again).to.have.nested.property('refusal.code', 'rate_limited');
    expect(again).to.have.nested.property('refusal.retryAfterSeconds').that.is.within(1, 60);
    expect(given).to.equal(ROWS);
    expect(await sums(callOf('acc_seldom'))).to.have.property('ok', true);
  });

  it('end when nobody waits for them any more', async () => {
    const gone = new AbortController();
    gone.abort();
    await sums(callOf('acc_gone', gone.signal));
    expect(given).to.equal(1);
  });
});
