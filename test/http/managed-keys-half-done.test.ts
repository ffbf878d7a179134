/** A key is made and amended in several streams: who hears of a failure in the middle must not take it for nothing. */
import { expect } from 'chai';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import type { TestAnswer, TestKey } from '../support/api.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { MANDATE, OWN, SCOPES } from './managing-keys.ts';

describe('A log that fails in the middle of a change to a key', () => {
  let api: JobApi;
  let manager: TestKey;
  /** Appends to such streams are refused, or reads of them once something was appended there. */
  let refused: { readonly to: 'append' | 'read'; readonly streams: string } | null = null;
  let isWritten = false;

  const log = memoryEventStore();
  const events: EventStore = {
    ...log,
    async append(streamId, expectedRevision, fresh) {
      const isOne = refused !== null && streamId.startsWith(refused.streams);
      if (isOne && refused?.to === 'append') throw new StoreUnavailable('the disk is full');
      const result = await log.append(streamId, expectedRevision, fresh);
      isWritten ||= isOne;
      return result;
    },
    read(streamId, options) {
      if (refused?.to === 'read' && isWritten && streamId.startsWith(refused.streams))
        throw new StoreUnavailable('the disk is away');
      return log.read(streamId, options);
    },
  };
  before(async () => (api = await startJobApi({ engines: { events } })));
  after(() => api.close());
  beforeEach(async () => void (manager = await api.newKey({ scopes: SCOPES, terms: OWN })));
  afterEach(() => void (refused = null));

  /** Fails while the log does, as something half done; the same request then does it, once. */
  async function halfDone(
    fault: NonNullable<typeof refused>,
    ask: (headers: Record<string, string>) => Promise<TestAnswer>,
  ): Promise<TestAnswer> {
    const headers = { 'Idempotency-Key': 'half' };
    isWritten = false;
    refused = fault;
    const first = await ask(headers);
    refused = null;
    expect([first.status, first.body.error?.code], first.text).to.deep.equal([503, 'unavailable']);
    expect(first.body.error.message).to.include('same Idempotency-Key').and.not.include('Nothing was done');
    return ask(headers);
  }
  const make = (headers: Record<string, string> = {}) =>
    api.post('/v1/keys', { name: 'Buyer', scopes: ['jobs:read'], mandate: MANDATE }, { ...manager, headers });
  const amend = (id: string) => (headers: Record<string, string>) =>
    api.send('PATCH', `/v1/keys/${id}`, {
      ...manager,
      headers: { 'Content-Type': 'application/json', ...headers },
      rawBody: JSON.stringify({ name: 'Renamed', mandate: { maxMonthlyCents: 7_000 } }),
    });

  for (const streams of ['mandate-', 'key-']) {
    it(`makes one key after its allotment, where ${streams}… could not be written`, async () => {
      const { status, body } = await halfDone({ to: 'append', streams }, make);
      expect([status, body.data['name']]).to.deep.equal([201, 'Buyer']);
      expect(body.data['apiKey']).to.be.a('string');
      expect((await api.get('/v1/keys', manager)).body.data, 'with the manager').to.have.lengthOf(2);
    });
  }

  it('makes one key whose first answer was lost, and does not show its secret again', async () => {
    const { status, body, headers } = await halfDone({ to: 'read', streams: 'key-' }, make);
    expect((await api.get('/v1/keys', manager)).body.data, 'with the manager').to.have.lengthOf(2);
    expect([status, headers.get('Idempotent-Replayed')]).to.deep.equal([201, 'true']);
    expect(body.data['apiKey']).to.equal(null);
  });

  for (const streams of ['mandate-', 'key-']) {
    it(`amends a key whole, where ${streams}… could not be written`, async () => {
      const id = String((await make()).body.data['id']);
      const { status, body } = await halfDone({ to: 'append', streams }, amend(id));
      expect([status, body.data['name']]).to.deep.equal([200, 'Renamed']);
      expect(body.data['mandate']).to.include({ maxMonthlyCents: 7_000 });
    });
  }

  it('rotates a key once whose first answer was lost', async () => {
    const id = String((await make()).body.data['id']);
    const rotate = (headers: Record<string, string>) =>
      api.post(`/v1/keys/${id}/rotate`, {}, { ...manager, headers });
    const { status, body, headers } = await halfDone({ to: 'read', streams: 'key-' }, rotate);
    expect([status, headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    expect(body.data['apiKey']).to.equal(null);
  });

  for (const streams of ['key-', 'keyring-']) {
    it(`revokes a key with its mandate, where ${streams}… could not be written`, async () => {
      const id = String((await make()).body.data['id']);
      const { status, body } = await halfDone({ to: 'append', streams }, (headers) =>
        api.post(`/v1/keys/${id}/revoke`, {}, { ...manager, headers }),
      );
      expect([status, body.data['status']]).to.deep.equal([200, 'revoked']);
      expect(body.data['mandate']).to.include({ status: 'revoked' });
    });
  }

  for (const [action, streams] of [
    ['revoke', 'key-'],
    ['suspend', 'mandate-'],
  ] as const) {
    it(`${action}s a key whose first answer was lost, and says so`, async () => {
      const id = String((await make()).body.data['id']);
      const { status, headers } = await halfDone({ to: 'read', streams }, (more) =>
        api.post(`/v1/keys/${id}/${action}`, {}, { ...manager, headers: more }),
      );
      expect([status, headers.get('Idempotent-Replayed')]).to.deep.equal([200, 'true']);
    });
  }
});
