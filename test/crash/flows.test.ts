/**
 * Whole flows over a log that dies at every append in turn: before it wrote, after it wrote without a word, or in
 * silence. A new process on the same log, whose client asks once more for what was not answered, ends where the
 * undisturbed flow ends, with the same facts and none of them twice.
 */
import { exampleOf } from '../../events/catalog.ts';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type EventStore, OutcomeUnknown, StoreUnavailable } from '../../events/event-store.ts';
import { createMemoryAccountKeys } from '../contract/memory/account-keys.ts';
import { cancelJob } from '../../src/operations/jobs/change-own-job.ts';
import { createTrial } from '../../src/operations/jobs/create-trial.ts';
import { expireDueDrafts } from '../../src/operations/jobs/expire-due-drafts.ts';
import { receivePayment } from '../../src/operations/jobs/receive-payment.ts';
import { refundJob } from '../../src/operations/jobs/refund-job.ts';
import { createKey, type CreatedKey } from '../../src/operations/keys/create-key.ts';
import type { KeyedCall } from '../../src/operations/operation.ts';
import { completeJob, startJob } from '../../src/operations/provider/fulfil-job.ts';
import { recordToken } from '../../src/operations/jobs/act-link.ts';
import { ingestRecord } from '../../src/operations/records/ingest-record.ts';
import type { Services } from '../../src/operations/services.ts';
import { readAll } from '../support/event-log.ts';
import { eventLogs, type LogPlace } from '../support/event-logs.ts';
import { openMemoryMarket, publishExamples } from '../support/memory-market.ts';
import { grant } from '../support/sample-mandate.ts';

const AGENCY = exampleOf('AgentPublished').listing.agency.slug;
const AT = '2026-11-27T09:30:00.000Z';
const LATE = '2026-11-29T09:30:00.000Z';
const SILENCE_MS = 40;
/** As durable as the log: they outlive their process. */
const accountKeys = createMemoryAccountKeys();

type Death = 'before' | 'after' | 'hang';
interface World {
  readonly services: Services;
  readonly key: CreatedKey;
  jobId: string;
}
type Step = (world: World) => Promise<unknown>;

function callOf({ key }: World, name: string, at = AT): KeyedCall {
  const { keyId, accountId, mandateId } = key;
  const caller = { keyId, accountId, mandateId, scopes: [], agency: AGENCY };
  return { caller, at, requestId: name, commandId: name, signal: new AbortController().signal };
}

const draft: Step = async (world) => {
  // The listing has to be there to be hired.
  await world.services.projector.caughtUp();
  const input = { agent: exampleOf('AgentPublished').agent, brief: 'Do it.' };
  const made = await createTrial.run(input, callOf(world, 'draft'), world.services);
  if (!made.ok || !('id' in made.data)) throw new Error('no draft');
  world.jobId = made.data.id;
};
const accepted = async (outcome: Promise<{ readonly ok: boolean }>): Promise<void> => {
  expect((await outcome).ok).to.equal(true);
};
const pay: Step = (world) => {
  const payment = { provider: 'test', reference: 'p', amountCents: 1_000_000 } as const;
  return accepted(receivePayment(world.services, world.jobId, payment, { at: AT, requestId: 'pay' }));
};
const start: Step = (world) =>
  accepted(startJob.run({ jobId: world.jobId }, callOf(world, 'start'), world.services));
const complete: Step = (world) =>
  accepted(completeJob.run({ jobId: world.jobId }, callOf(world, 'complete'), world.services));
const cancel: Step = (world) =>
  accepted(cancelJob.run({ jobId: world.jobId }, callOf(world, 'cancel'), world.services));
const refund: Step = (world) => {
  const input = { jobId: world.jobId, reason: 'test' };
  return accepted(refundJob.run(input, callOf(world, 'refund'), world.services));
};
const expire: Step = async ({ services }) => {
  await services.projector.caughtUp();
  await expireDueDrafts(services, LATE);
};
const record: Step = (world) => {
  const token = recordToken(
    { jobId: world.jobId, keyId: world.key.keyId, generation: 0, endsAtMs: null },
    world.services.signer,
  );
  return accepted(ingestRecord({ token, recordId: 'R' }, callOf(world, 'record'), world.services));
};

/** What is asked, and what the streams hold in the end. */
interface Flow {
  readonly steps: readonly Step[];
  readonly job: string[];
  readonly released: number;
}

const FLOWS: Readonly<Record<string, Flow>> = {
  'a job that is done': {
    steps: [draft, pay, start, record, complete],
    job: ['TrialDrafted', 'JobFunded', 'JobStarted', 'JobCompleted'],
    released: 0,
  },
  'a draft that is cancelled, and paid too late': {
    steps: [draft, cancel, pay],
    job: ['TrialDrafted', 'JobCancelled', 'SurplusPaymentReceived', 'PaymentReturned'],
    released: 1,
  },
  'a draft that expires': { steps: [draft, expire], job: ['TrialDrafted', 'JobExpired'], released: 1 },
  'a job that is refunded': {
    steps: [draft, pay, refund],
    job: ['TrialDrafted', 'JobFunded', 'JobRefunded', 'PaymentReturned'],
    released: 0,
  },
};

for (const [engine, openPlace] of Object.entries(eventLogs)) {
  describe(`A process that dies within a flow, on a log in ${engine}`, () => {
    for (const [name, flow] of Object.entries(FLOWS)) {
      for (const death of ['before', 'after', 'hang'] as const) {
        it(`${name}, ${death} each append: ends as if nothing had happened`, async function () {
          this.timeout(240_000);
          const appends = await onNewLog(openPlace, (store) => appendsOf(flow, store));
          expect(appends).to.be.greaterThan(flow.job.length);
          for (let at = 0; at < appends; at += 1)
            await onNewLog(openPlace, (store) => check(flow, death, at, store));
        });
      }
    }
  });
}

async function onNewLog<Result>(
  openPlace: () => Promise<LogPlace>,
  work: (store: EventStore) => Promise<Result>,
): Promise<Result> {
  const place = await openPlace();
  try {
    return await work(await place.connect());
  } finally {
    await place.dispose();
  }
}

async function appendsOf(flow: Flow, store: EventStore): Promise<number> {
  const key = await prepare(store);
  const mortal = mortalStore(store, 'before', Infinity);
  const market = await openMemoryMarket({ events: mortal.store, accountKeys });
  const world = { services: market.services, key, jobId: '' };
  for (const step of flow.steps) await step(world);
  await settled(store, world, flow);
  await market.close();
  return mortal.appends();
}

async function check(flow: Flow, death: Death, at: number, store: EventStore): Promise<void> {
  const key = await prepare(store);
  const mortal = mortalStore(store, death, at);
  const first = await openMemoryMarket({ events: mortal.store, accountKeys });
  const world: World = { services: first.services, key, jobId: '' };
  const rest = [...flow.steps];
  try {
    for (;;) {
      const [step] = rest;
      if (step === undefined) break;
      await Promise.race([step(world), mortal.death.then(() => Promise.reject(new Error('dead')))]);
      rest.shift();
    }
  } catch {
    // The client has no answer; it asks the next process.
  }
  mortal.letGo();
  const second = await openMemoryMarket({ events: unclosable(store), accountKeys });
  // It has lost its views, and serves none until they are whole.
  await second.services.projector.caughtUp();
  const revived: World = { services: second.services, key, jobId: world.jobId };
  for (const step of rest) await step(revived);
  if (rest.length === 0) world.jobId = revived.jobId;
  await settled(store, revived, flow);

  const typesOf = async (stream: string) => (await readAll(store, stream)).map(({ type }) => type);
  const where = `dead ${death} append ${at}`;
  expect(await typesOf(`job-${revived.jobId}`), where).to.deep.equal(flow.job);
  const mandate = await typesOf(`mandate-${key.mandateId}`);
  expect(
    mandate.filter((type) => type === 'MandateSpent'),
    where,
  ).to.have.length(1);
  expect(
    mandate.filter((type) => type === 'SpendReleased'),
    where,
  ).to.have.length(flow.released);
  await first.close();
  await second.close();
}

/** Reactions have done all there is to do: the streams are as long as they will be, and stay so. */
async function settled(store: EventStore, { jobId, key, services }: World, flow: Flow): Promise<void> {
  const patience = performance.now() + 10_000;
  const lengthOf = async (stream: string) => (await readAll(store, stream)).length;
  for (let still = 0; still < 5 && performance.now() < patience;) {
    await new Promise((resolve) => setTimeout(resolve, 4));
    await services.commands.idle();
    // The grant, the opened period if there is one, the spend and what was given back.
    const mandate = await readAll(store, `mandate-${key.mandateId}`);
    const released = mandate.filter(({ type }) => type === 'SpendReleased').length;
    const isDone = (await lengthOf(`job-${jobId}`)) >= flow.job.length && released >= flow.released;
    still = isDone ? still + 1 : 0;
  }
}

async function prepare(store: EventStore): Promise<CreatedKey> {
  const market = await openMemoryMarket({ events: unclosable(store), accountKeys });
  await publishExamples(market.services);
  const made = await createKey(
    market.services,
    {
      account: `a-${randomUUID().slice(0, 8)}`,
      name: 'k',
      scopes: ['trials:create'],
      agency: null,
      terms: grant({ maxPerTransactionCents: 1_000_000, maxMonthlyCents: 1_000_000 }).terms,
    },
    { at: AT, actor: 'cli', requestId: 'test' },
  );
  if (!made.ok) throw new Error(made.refusal.message);
  await market.close();
  return made.created;
}

interface Mortal {
  readonly store: EventStore;
  readonly appends: () => number;
  /** Resolves a moment after the death: nobody is answered any more. */
  readonly death: Promise<void>;
  readonly letGo: () => void;
}

/** The log as a process has it that dies at one of its appends: from then on nothing is written through it. */
function mortalStore(store: EventStore, death: Death, at: number): Mortal {
  let count = 0;
  let isDead = false;
  let die: () => void = () => {};
  const dying = new Promise<void>((resolve) => (die = resolve));
  let letGo: () => void = () => {};
  const isLetGo = new Promise<void>((resolve) => (letGo = resolve));
  const gone = (): StoreUnavailable => new StoreUnavailable('the process is dead');
  const mortal: EventStore = {
    ...unclosable(store),
    async append(streamId, expectedRevision, events) {
      if (isDead) throw gone();
      const own = count;
      count += 1;
      if (own !== at) return store.append(streamId, expectedRevision, events);
      isDead = true;
      if (death === 'after') await store.append(streamId, expectedRevision, events);
      setTimeout(die, death === 'hang' ? SILENCE_MS : 0);
      if (death === 'before') throw gone();
      if (death === 'after') throw new OutcomeUnknown('no answer');
      await isLetGo;
      throw gone();
    },
  };
  return {
    store: mortal,
    appends: () => count,
    death: dying,
    letGo,
  };
}

function unclosable(store: EventStore): EventStore {
  return {
    append: (streamId, expectedRevision, events) => store.append(streamId, expectedRevision, events),
    read: (streamId, options) => store.read(streamId, options),
    subscribe: (options) => store.subscribe(options),
    head: () => store.head(),
    knows: (position) => store.knows(position),
    marks: store.marks,
    close: async () => {},
  };
}
