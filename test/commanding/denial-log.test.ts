import { expect } from 'chai';
import type { DenialFact } from '../../events/mandate-events.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { createDenialLog, DENIAL_EVERY_MS, DENIALS_AT_ONCE } from '../../src/commanding/denial-log.ts';
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

  it('is waited for by whoever reads', async () => {
    const { store, denials } = setUp();
    const mandateId = newMandateId();
    denials.record(mandateId, call(), denialOf(mandateId));
    await denials.settled(mandateId);
    expect(await readAll(store, `denials-${mandateId}`)).to.have.length(1);
    await denials.settled(newMandateId());
  });

  it('is not waited for long where it hangs', async () => {
    const { store, commands, denials } = setUp();
    const mandateId = newMandateId();
    store.plan('hang');
    denials.record(mandateId, call(), denialOf(mandateId));
    await denials.settled(mandateId);
    expect(await readAll(store, `denials-${mandateId}`)).to.deep.equal([]);
    store.letGo();
    await commands.idle();
    expect(await readAll(store, `denials-${mandateId}`)).to.have.length(1);
  });

  it('leaves out and counts what it cannot keep up with, and keeps what it took', async () => {
    const { store, commands, denials } = setUp();
    const mandateIds = Array.from({ length: 11 }, newMandateId);
    store.plan('hang');
    for (const mandateId of mandateIds)
      for (let n = 0; n < DENIALS_AT_ONCE; n += 1) denials.record(mandateId, call(), denialOf(mandateId));
    expect(denials.left()).to.deep.equal({ dropped: 100, failed: 0 });
    store.letGo();
    await commands.idle();
    const kept = await Promise.all(mandateIds.map((id) => readAll(store, `denials-${id}`)));
    expect(kept.map((events) => events.length)).to.deep.equal([...Array<number>(10).fill(100), 0]);
    const last = mandateIds.at(-1) ?? '';
    denials.record(last, call(), denialOf(last));
    await commands.idle();
    expect((await readAll(store, `denials-${last}`)).map(({ data }) => data)).to.deep.equal([
      { ...denialOf(last), leftOut: 100 },
    ]);
  });

  it('keeps one a minute of an agent that goes on and on, with how many were left out', async () => {
    const store = memoryEventStore();
    const commands = createCommandRunner(store);
    let nowMs = 1_000;
    const denials = createDenialLog(commands, undefined, () => nowMs);
    const [mandateId, other] = [newMandateId(), newMandateId()];
    const deny = (times: number) => {
      for (let n = 0; n < times; n += 1) denials.record(mandateId, call(), denialOf(mandateId));
    };
    deny(DENIALS_AT_ONCE + 400);
    nowMs += DENIAL_EVERY_MS - 1;
    deny(1);
    nowMs += 1;
    deny(3);
    nowMs += DENIAL_EVERY_MS;
    deny(1);
    denials.record(other, call(), denialOf(other));
    await commands.idle();
    const kept = await readAll(store, `denials-${mandateId}`);
    expect(kept).to.have.length(DENIALS_AT_ONCE + 2);
    expect(kept.slice(DENIALS_AT_ONCE - 1).map(({ data }) => data)).to.deep.equal([
      denialOf(mandateId),
      { ...denialOf(mandateId), leftOut: 401 },
      { ...denialOf(mandateId), leftOut: 2 },
    ]);
    expect(await readAll(store, `denials-${other}`)).to.have.length(1);
  });

  it('counts what could not be written, and troubles nobody with it', async () => {
    const { store, commands, denials } = setUp();
    const mandateId = newMandateId();
    store.plan('refuse');
    denials.record(mandateId, call(), denialOf(mandateId));
    await until('the failure is counted', () => denials.left().failed === 1);
    denials.record(mandateId, call(), denialOf(mandateId));
    await commands.idle();
    expect((await readAll(store, `denials-${mandateId}`)).map(({ data }) => data)).to.deep.equal([
      { ...denialOf(mandateId), leftOut: 1 },
    ]);
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
    expect(lines).to.deep.equal([{ mandateId, reason: 'too many of one mandate', dropped: 1, failed: 0 }]);
  });

  it('says in the log of the process what could not be written, and why', async () => {
    const store = faultyEventStore(memoryEventStore());
    const commands = createCommandRunner(store);
    const lines: object[] = [];
    const denials = createDenialLog(commands, { warn: (fields: object) => void lines.push(fields) });
    const mandateId = newMandateId();
    store.plan('refuse');
    denials.record(mandateId, call(), denialOf(mandateId));
    await commands.idle();
    await denials.settled(mandateId);
    expect(lines).to.deep.equal([{ mandateId, reason: 'the disk is full', dropped: 0, failed: 1 }]);
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
