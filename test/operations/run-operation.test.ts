import { expect } from 'chai';
import { z } from 'zod';
import { defineOperation, type KeyHolder } from '../../src/operations/operation.ts';
import { runOperation } from '../../src/calling/callable.ts';
import { openMemoryMarket } from '../support/memory-market.ts';

describe('runOperation', () => {
  const spy = { ran: 0 };
  const operation = defineOperation({
    name: 'readSecrets',
    summary: 'For the test.',
    description: 'For the test.',
    tag: 'jobs',
    kind: 'query',
    scope: 'jobs:read',
    input: z.strictObject({}),
    output: z.strictObject({}),
    refusals: [],
    example: { input: {}, output: {} },
    run: () => {
      spy.ran += 1;
      return Promise.resolve({ ok: true, data: {} });
    },
  });

  it('refuses a key without the scope, whatever an edge has checked before', async () => {
    const { services, close } = await openMemoryMarket();
    const outcome = await runOperation(operation, {}, callOf(['jobs:cancel']), services);
    await close();

    expect(outcome).to.have.nested.property('refusal.code', 'scope_missing');
    expect(spy.ran).to.equal(0);
  });

  it('runs for a key with the scope', async () => {
    const { services, close } = await openMemoryMarket();
    const outcome = await runOperation(operation, {}, callOf(['jobs:read']), services);
    await close();

    expect(outcome).to.deep.equal({ ok: true, data: {} });
  });

  it('runs for a key with the other scope that opens it', async () => {
    const { services, close } = await openMemoryMarket();
    const forAuditors = { ...operation, orScope: 'audit:read' } as const;
    const outcome = await runOperation(forAuditors, {}, callOf(['audit:read']), services);
    await close();

    expect(outcome).to.deep.equal({ ok: true, data: {} });
  });
});

function callOf(scopes: KeyHolder['scopes']) {
  const at = '2026-11-27T09:30:00.000Z';
  const caller = { keyId: 'key', accountId: 'acc', mandateId: 'mdt', agency: null, scopes };
  return { caller, requestId: 'req', at, commandId: 'cmd', signal: new AbortController().signal };
}
