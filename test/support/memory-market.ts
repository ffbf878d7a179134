/** The market on engines in memory, composed as the program does it: everything but the disk is real. */
import { tmpdir } from 'node:os';
import { exampleOf } from '../../events/catalog.ts';
import { agencyDecider } from '../../commands/agency/agency.ts';
import { agentDecider } from '../../commands/agent/agent.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../commands/methodology/methodology.ts';
import { publishedMethodology } from '../../events/methodology-document.ts';
import { createFolderScratch } from '../../infra/folder/scratch.ts';
import { createMemoryAccountKeys } from '../contract/memory/account-keys.ts';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { memoryCheckpoints } from '../contract/memory/checkpoints.ts';
import { createMemoryDeliveryLog } from '../contract/memory/delivery-log.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryLeases } from '../../infra/memory/leases.ts';
import { createMemoryLimiter } from '../../infra/memory/limiter.ts';
import { createMemoryMeter } from '../contract/memory/meter.ts';
import { createTestPayments } from '../../infra/memory/payments.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { memoryViewStore } from '../contract/memory/view-store.ts';
import { servicesOn } from '../../src/composition/app.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import type { Engines } from '../../src/composition/engines.ts';
import { createLog } from '../../src/logging/log.ts';
import type { Services } from '../../src/operations/services.ts';
import { whenJobEndedReleaseSpend } from '../../src/reactions/when-job-ended-release-spend.ts';
import { whenMandateSpentCreateTrial } from '../../src/reactions/when-mandate-spent-create-trial.ts';
import { whenPaymentNotNeededReturnIt } from '../../src/reactions/when-payment-not-needed-return-it.ts';
import { startReactor } from '../../src/background/reactor.ts';
import { call } from './run-commands.ts';

/** The public address that links of the service begin with in tests. */
export const BASE_URL = 'http://market.test';

export const SIGNING_SECRET = 'a secret of the tests, long enough';

const CONFIG: Config = {
  ...readConfig({
    SIGNING_SECRET,
    SECURITY_CONTACT: 'mailto:security@bourse.example',
  }),
  baseUrl: BASE_URL,
};

/** Those that a request counts on. The others are left to their own tests, as tasks are. */
const REACTIONS = [whenMandateSpentCreateTrial, whenJobEndedReleaseSpend, whenPaymentNotNeededReturnIt];

export interface MemoryMarket {
  readonly services: Services;
  readonly close: () => Promise<void>;
}

/** In place of those in memory. */
export type OwnEngines = Partial<Pick<Engines, 'events' | 'views' | 'accountKeys' | 'meter' | 'scratch'>>;

export async function openMemoryMarket(own: OwnEngines = {}): Promise<MemoryMarket> {
  const engines: Engines = { ...memoryEngines(), ...own };
  const log = createLog('warn', process.stderr);
  const services = servicesOn(engines, CONFIG, log, {
    duties: () => [{ duty: 'projector', state: 'working' }],
    reactions: () => reactor.status(),
  });
  const { projector, commands, jobWatch } = services;
  await projector.start();
  const reactor = startReactor({
    events: engines.events,
    checkpoints: engines.checkpoints,
    reactions: REACTIONS.map((make) => make(services)),
    isSkipped: async () => false,
    onError: (reaction, error) => void process.stderr.write(`${reaction}: ${String(error)}\n`),
  });
  return {
    services,
    async close() {
      await commands.idle();
      await reactor.stop();
      await jobWatch.close();
      await projector.stop();
      await services.exports.close();
      await engines.views.close();
      await engines.events.close();
    },
  };
}

/** Everything in memory, empty. */
function memoryEngines(): Engines {
  return {
    events: memoryEventStore(),
    checkpoints: memoryCheckpoints(),
    logPlace: 'memory',
    lost: () => null,
    views: memoryViewStore(),
    accountKeys: createMemoryAccountKeys(),
    queue: createMemoryQueue(),
    deliveries: createMemoryDeliveryLog(),
    leases: createMemoryLeases(),
    meter: createMemoryMeter(),
    createLimiter: (_name, windowSeconds) => createMemoryLimiter(windowSeconds),
    blobs: createMemoryBlobs(),
    scratch: createFolderScratch(tmpdir()),
    payments: createTestPayments(),
    fetcher: {
      post: async () => ({ kind: 'forbidden', error: 'this market sends nothing' }),
      get: async () => ({ kind: 'forbidden', error: 'this market asks nobody' }),
      close: async () => {},
    },
    close: async () => {},
  };
}

const AT = '2026-06-02T08:00:00.000Z';
const registered = exampleOf('AgencyRegistered');
const published = exampleOf('AgentPublished');
const { methodology } = exampleOf('MethodologyPublished');

/** The agency, agent and methodology of the events' own examples. */
export async function publishExamples({ commands, projector }: Services): Promise<void> {
  const at = (): ReturnType<typeof call> => call({ at: AT });
  const { agent, listing } = published;
  await commands.run(methodologyDecider, METHODOLOGY_ID, { type: 'PublishMethodology', methodology }, at());
  await commands.run(agencyDecider, listing.agency.slug, { type: 'RegisterAgency', ...registered }, at());
  const listed = publishedMethodology(methodology, AT);
  await commands.run(agentDecider, agent, { type: 'PublishAgent', ...published, methodology: listed }, at());
  await projector.caughtUp();
}
