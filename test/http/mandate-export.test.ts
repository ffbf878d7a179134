/** What a buyer downloads of its mandate proves itself, and gives away nothing that it should not. */
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import type { NewEvent, RecordedEvent } from '../../events/event.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { eventHash } from '../../events/hash-chain.ts';
import { idFrom } from '../../events/ids.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { exportLog } from '../../src/audit/export-log.ts';
import { verifyExport } from '../../src/audit/verify-export.ts';
import { secretHashOf } from '../../src/operations/keys/api-key-secret.ts';
import type { TestKey } from '../support/api.ts';
import { readAll } from '../support/event-log.ts';
import { type JobApi, now, startJobApi } from '../support/job-flows.ts';
import { withItsId } from '../support/new-event.ts';
import { rejectionOf } from '../support/rejection.ts';
import { order } from '../support/sample-mandate.ts';
import { until } from '../support/until.ts';

const RICH = { maxPerTransactionCents: 1_000_000, maxMonthlyCents: 1_000_000_000 };

interface Line {
  readonly body: { readonly kind: string; readonly of?: unknown; readonly event?: RecordedEvent };
}

describe('The export of a mandate', () => {
  const log = memoryEventStore();
  /** Reads of this stream break off after so many events. */
  let breaks: { readonly stream: string; readonly after: number } | null = null;
  /** Reads wait for it. */
  let gate: Promise<void> = Promise.resolve();
  let waiting = 0;
  /** How often each event of the mandate is read. */
  let copies = 1;
  let read = 0;
  const events: EventStore = {
    ...log,
    async *read(stream, options) {
      waiting += 1;
      if (stream.startsWith('denials-')) await gate;
      waiting -= 1;
      let count = 0;
      for await (const event of log.read(stream, options)) {
        if (breaks?.stream === stream && count === breaks.after) throw new StoreUnavailable('cut off');
        yield event;
        count += 1;
        for (let i = 1; i < copies && stream.startsWith('mandate-'); i += 1) {
          read += 1;
          yield event;
        }
      }
    },
  };
  let api: JobApi;
  let auditor: TestKey;
  before(async () => {
    api = await startJobApi({ engines: { events } });
    auditor = await api.newKey({ account: 'the-buyer', scopes: ['audit:read'] });
    for (let i = 0; i < 5; i += 1) await api.draft();
    // Denied, and so beside the mandate's stream.
    const poor = await api.newKey({ scopes: ['trials:create'], terms: { maxMonthlyCents: 1 } });
    await api.post('/v1/trials', { agent: 'invoice-matcher', brief: 'x' }, poor);
    await api.post(`/v1/jobs/${await api.draft()}/cancel`, {}, api.buyer);
  });
  after(() => api.close());

  const linesOf = (text: string): string[] => text.trimEnd().split('\n');
  const eventsIn = (text: string): RecordedEvent[] =>
    linesOf(text).flatMap((line) => (JSON.parse(line) as Line).body.event ?? []);
  const download = (key: TestKey, query = '') => api.get(`/v1/mandate/export${query}`, key);

  it('is the lines of `bourse audit export`: whole events of this mandate and key, and nobody else’s', async () => {
    const { status, headers, text } = await download(api.buyer);
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'application/x-ndjson']);
    expect(headers.get('Content-Disposition')).to.include(`${api.buyer.mandateId}.ndjson`);
    const [begin] = linesOf(text).map((line) => JSON.parse(line) as Line);
    expect(begin?.body.of).to.deep.equal({ mandateId: api.buyer.mandateId });
    const exported = eventsIn(text);
    expect(exported.filter(({ streamId }) => streamId.startsWith('mandate-'))).to.deep.equal(
      JSON.parse(JSON.stringify(await readAll(log, `mandate-${api.buyer.mandateId}`))),
    );
    expect(new Set(exported.map(({ streamId }) => streamId))).to.deep.equal(
      new Set([`mandate-${api.buyer.mandateId}`, `key-${api.buyer.keyId}`]),
    );
    const report = await verifyExport(linesOf(text));
    expect(report).to.deep.include({ findings: [], mandates: 1, withheld: 0, events: exported.length });
  });

  it('holds no hash of a secret, nor does that of the whole log', async () => {
    const whole: string[] = [];
    const options = { exportedAt: now(), withClearText: true };
    for await (const line of exportLog(log, options)) whole.push(line);
    expect((await verifyExport(whole.map((line) => line.slice(0, -1)))).findings).to.deep.equal([]);
    for (const text of [(await download(api.buyer)).text, whole.join('')]) {
      expect(text).to.include('ApiKeyIssued');
      for (const { key } of [api.buyer, api.agency, auditor]) expect(text).not.to.include(secretHashOf(key));
    }
  });

  it('can be of one account: all its keys and mandates, and nothing of others', async () => {
    const lines: string[] = [];
    const options = { exportedAt: now(), withClearText: false };
    for await (const line of exportLog(log, options, api.buyer.accountId)) lines.push(line);
    const streams = new Set(eventsIn(lines.join('')).map(({ streamId }) => streamId));
    for (const { keyId, mandateId } of [api.buyer, auditor])
      expect(streams).to.include.members([`key-${keyId}`, `mandate-${mandateId}`]);
    expect(streams).to.include('account-the-buyer');
    expect(streams).not.to.include(`key-${api.agency.keyId}`);
    expect((await verifyExport(lines.map((line) => line.slice(0, -1)))).findings).to.deep.equal([]);
  });

  it('is for the key itself, and for auditors of its account', async () => {
    expect((await download(await api.newKey({ scopes: ['jobs:read'] }))).body.error.code).to.equal(
      'scope_missing',
    );
    const query = `?keyId=${api.buyer.keyId}`;
    expect((await download(auditor, query)).status).to.equal(200);
    const stranger = await api.newKey({ scopes: ['audit:read', 'mandate:read'] });
    expect((await download(stranger, query)).status).to.equal(404);
    expect((await api.get('/v1/mandate/export?surprise=1', api.buyer)).status).to.equal(400);
  });

  it('lets others be answered meanwhile, however fast it is read', async () => {
    copies = 500;
    const perRound: number[] = [];
    let isOver = false;
    const both = Promise.all([download(api.buyer), download(auditor, `?keyId=${api.buyer.keyId}`)]);
    const statuses = both.then((answers) => answers.map(({ status }) => status));
    void both.finally(() => (isOver = true));
    while (!isOver) {
      read = 0;
      await nextRound();
      perRound.push(read);
    }
    copies = 1;
    expect(await statuses).to.deep.equal([200, 200]);
    // Of a kilobyte or so each: a piece that is sent, and one that is begun of each.
    expect(Math.max(...perRound)).to.be.within(1, 250);
  });

  it('is made twice at a time for one account, and again when one has ended', async () => {
    let open: () => void = () => {};
    gate = new Promise((resolve) => (open = resolve));
    const first = [download(api.buyer), download(api.buyer)];
    await until('both wait for the log', () => waiting === 2);
    const third = await download(api.buyer);
    expect([third.status, third.headers.get('Retry-After')]).to.deep.equal([429, '5']);
    open();
    for (const { status } of await Promise.all(first)) expect(status).to.equal(200);
    expect((await download(api.buyer)).status).to.equal(200);
  });

  it('is refused where the log cannot be read, and broken off where it ends half-way', async () => {
    const stream = `mandate-${api.buyer.mandateId}`;
    breaks = { stream, after: 0 };
    const refused = await download(api.buyer);
    expect([refused.status, refused.body.error.code]).to.deep.equal([503, 'unavailable']);
    // More than one piece of the answer is sent before it breaks off.
    const many = await api.newKey({ scopes: ['mandate:read', 'trials:create'], terms: RICH });
    for (let i = 0; i < 80; i += 1) await api.draft(many, { brief: 'x'.repeat(2_000) });
    expect((await download(many)).text.length).to.be.greaterThan(200_000);
    breaks = { stream: `mandate-${many.mandateId}`, after: 78 };
    expect(await rejectionOf(download(many))).to.be.instanceOf(TypeError);
    breaks = null;
    expect((await download(many)).status).to.equal(200);
  });

  describe('of a mandate that a release before spent against, its order in clear', () => {
    let old: TestKey;
    before(async () => {
      old = await api.newKey({ account: 'the-buyer', scopes: ['mandate:read', 'trials:create'] });
      const [granted] = await readAll(log, `mandate-${old.mandateId}`);
      if (granted === undefined) throw new Error('the mandate was not granted');
      await log.append(granted.streamId, 0, [oldSpend(old, eventHash(granted))]);
      await api.post('/v1/trials', { agent: 'invoice-matcher', brief: 'New.' }, old);
    });

    it('is whole for the key itself', async () => {
      const { text } = await download(old);
      expect(text).to.include('Ms. Secret');
      expect(await verifyExport(linesOf(text))).to.deep.include({ findings: [], withheld: 0 });
    });

    it('lacks the order for an auditor, and still verifies', async () => {
      const { text } = await download(auditor, `?keyId=${old.keyId}`);
      expect(text).not.to.include('Ms. Secret').and.not.include('the plain hash');
      expect(await verifyExport(linesOf(text))).to.deep.include({ findings: [], withheld: 1 });
      const history = await api.get(`/v1/mandate/history?keyId=${old.keyId}`, auditor);
      expect(history.text).to.include('MandateSpent').and.not.include('Ms. Secret');
      expect(history.text).not.to.include('the plain hash');
    });
  });

  it('and the history give what the hashes are over, to be worked out by the owner', async () => {
    const { data } = (await api.get('/v1/mandate/history?limit=100', api.buyer)).body;
    let prev = '0'.repeat(64);
    for (const row of data) {
      const { eventId, type, version, streamId, revision, at, data: held, meta, hash } = row;
      // A row of the history has what an event has.
      const event = { id: eventId, type, version, streamId, revision, at, data: held, meta } as RecordedEvent;
      expect(row['prev']).to.equal(prev);
      expect(event.meta.prev).to.equal(prev);
      prev = eventHash(event);
      expect(hash).to.equal(prev);
    }
    expect(data.length).to.be.greaterThan(5);
  });
});

function oldSpend({ keyId, accountId, mandateId }: TestKey, prev: string): NewEvent {
  const at = now();
  const { jobId, agent, agency } = order('an old one');
  const text = { brief: 'For Ms. Secret.', inputs: null, metadata: {}, notifyUrl: null };
  return withItsId(`mandate-${mandateId}`, 1, {
    type: 'MandateSpent',
    version: 1,
    at,
    data: {
      spendId: idFrom('spend', at, 'old spend'),
      keyId,
      accountId,
      period: at.slice(0, 7),
      amountCents: 100,
      currency: 'usd',
      action: 'trial:create',
      spentThisPeriodCents: 100,
      order: { jobId, agent, agency, expectedRecords: null, ...text },
    },
    meta: {
      actor: `key:${keyId}`,
      requestId: 'old',
      commandId: 'old',
      requestHash: 'the plain hash',
      prev,
    },
  });
}
