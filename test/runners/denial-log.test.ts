import { expect } from 'chai';
import type { DenialFact } from '../../events/mandate-events.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { createCommandRunner } from '../../src/runners/command-runner.ts';
import { createDenialLog } from '../../src/runners/denial-log.ts';
import { readAll } from '../support/event-log.ts';
import { faultyEventStore } from '../support/faulty-event-store.ts';
import { call, grantNew, newMandateId, spendOf, tell } from '../support/run-commands.ts';
import { keyId } from '../support/sample-mandate.ts';
import { until } from '../support/until.ts';

const setUp = () => {
  const store = faultyEventStore(memoryEventStore());
  const commands = createCommandRunner(store);
  return { store, commands, denials: createDenialLog(commands) };
};

function denialOf(mandateId: string): DenialFact['data'] {
  return {
    mandateId,
    keyId,
    amountCents: 90_000,
    action: 'trial:create',
    payee: { agency: 'ledgerworks', agent: 'invoice-matcher' },
    reasons: ['transaction_cap', 'monthly_cap'],
  };
}

describe('The denial log', () => {
  it('keeps what was refused beside the mandate, in a stream of its own', async () => {
    const { store, commands, denials } = setUp();
    const mandateId = newMandateId();
    denials.record(mandateId, call({ requestId: 'req-7' }), denialOf(mandateId));
    await commands.idle();
    const [denied] = await readAll(store, `denials-${mandateId}`);
    expect(denied).to.deep.include({ type: 'SpendDenied', data: denialOf(mandateId) });
    expect(denied).to.have.nested.property('meta.requestId', 'req-7');
    expect(await readAll(store, `mandate-${mandateId}`)).to.deep.equal([]);
    expect(denials.left()).to.deep.equal({ dropped: 0, failed: 0 });
  });

  it('keeps each denial, also when the same command was refused before', async () => {
    const { store, commands, denials } = setUp();
    const mandateId = newMandateId();
    const again = call();
    for (let n = 0; n < 3; n += 1) denials.record(mandateId, again, denialOf(mandateId));
    await commands.idle();
    expect(await readAll(store, `denials-${mandateId}`)).to.have.length(3);
  });

  it('leaves out and counts what it cannot keep up with, and keeps what it took', async () => {
    const { store, commands, denials } = setUp();
    const mandateId = newMandateId();
    store.plan('hang');
    for (let n = 0; n < 1_100; n += 1) denials.record(mandateId, call(), denialOf(mandateId));
    expect(denials.left()).to.deep.equal({ dropped: 100, failed: 0 });
    store.letGo();
    await commands.idle();
    expect(await readAll(store, `denials-${mandateId}`)).to.have.length(1_000);
    denials.record(mandateId, call(), denialOf(mandateId));
    await commands.idle();
    expect(await readAll(store, `denials-${mandateId}`)).to.have.length(1_001);
  });

  it('counts what could not be written, and troubles nobody with it', async () => {
    const { store, denials } = setUp();
    const mandateId = newMandateId();
    store.plan('refuse');
    denials.record(mandateId, call(), denialOf(mandateId));
    await until('the failure is counted', () => denials.left().failed === 1);
    denials.record(mandateId, call(), denialOf(mandateId));
    await until('it is there', async () => (await readAll(store, `denials-${mandateId}`)).length === 1);
    expect(denials.left()).to.deep.equal({ dropped: 0, failed: 1 });
  });

  it('says in the log of the process that some are lost, once for a flood', async () => {
    const store = faultyEventStore(memoryEventStore());
    const commands = createCommandRunner(store);
    const lines: object[] = [];
    const denials = createDenialLog(commands, { warn: (fields: object) => void lines.push(fields) });
    const mandateId = newMandateId();
    store.plan('hang');
    for (let n = 0; n < 1_100; n += 1) denials.record(mandateId, call(), denialOf(mandateId));
    store.letGo();
    await commands.idle();
    expect(lines).to.deep.equal([{ mandateId, reason: 'too many at once', dropped: 1, failed: 0 }]);
  });

  it('holds up no spend while it hangs', async () => {
    const { store, commands, denials } = setUp();
    const mandateId = await grantNew(commands);
    store.plan('hang');
    denials.record(mandateId, call(), denialOf(mandateId));
    await until('it hangs', () => store.appends.at(-1)?.streamId === `denials-${mandateId}`);
    expect((await tell(commands, mandateId, spendOf(100))).kind).to.equal('accepted');
    store.letGo();
    await commands.idle();
  });
});
