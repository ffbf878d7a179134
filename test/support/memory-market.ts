/** The whole market on engines in memory: everything but the disk is real. */
import { agencyDecider } from '../../commands/agency/agency.ts';
import { agentDecider } from '../../commands/agent/agent.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../commands/methodology/methodology.ts';
import { agencyEvents } from '../../events/agency-events.ts';
import { agentEvents } from '../../events/agent-events.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { EventStore } from '../../events/event-store.ts';
import { publishedMethodology } from '../../events/methodology-document.ts';
import { methodologyEvents } from '../../events/methodology-events.ts';
import { memoryCheckpoints } from '../../infra/memory/checkpoints.ts';
import { memoryEventStore } from '../../infra/memory/event-store.ts';
import { memoryViewStore } from '../../infra/memory/view-store.ts';
import type { ViewStore } from '../../projections/view-store.ts';
import { projections } from '../../src/app.ts';
import type { Services } from '../../src/operations/services.ts';
import { routes } from '../../src/http/routes.ts';
import { createDigest } from '../../src/operations/digest.ts';
import { createSigner } from '../../src/operations/signer.ts';
import { whenJobEndedReleaseSpend } from '../../src/reactions/when-job-ended-release-spend.ts';
import { whenMandateSpentCreateTrial } from '../../src/reactions/when-mandate-spent-create-trial.ts';
import { whenPaymentNotNeededReturnIt } from '../../src/reactions/when-payment-not-needed-return-it.ts';
import { createCommandRunner } from '../../src/runners/command-runner.ts';
import { createDenialLog } from '../../src/runners/denial-log.ts';
import { createProjector } from '../../src/runners/projector.ts';
import { startReactor } from '../../src/runners/reactor.ts';
import { llmsFullText } from '../../src/web/machine/llms-full.ts';
import { memoryPorts } from './memory-ports.ts';
import { call } from './run-commands.ts';

/** The public address that links of the service begin with in tests. */
export const BASE_URL = 'http://market.test';

export interface MemoryMarket {
  readonly services: Services;
  readonly close: () => Promise<void>;
}

export interface Engines {
  readonly events?: EventStore;
  readonly views?: ViewStore;
}

export async function openMemoryMarket(engines: Engines = {}): Promise<MemoryMarket> {
  const { events = memoryEventStore(), views = memoryViewStore() } = engines;
  const complain = (...trouble: unknown[]): void =>
    void process.stderr.write(`${trouble.map(String).join(' ')}\n`);
  const parts = {
    store: events,
    views,
    projections,
    decode: decodeEvent,
    now: Date.now,
    onTrouble: complain,
  };
  const projector = createProjector(parts);
  const commands = createCommandRunner(events);
  const services: Services = {
    events,
    commands,
    denials: createDenialLog(commands),
    views,
    projector,
    ...memoryPorts(events),
    signer: createSigner('a secret of the tests, long enough'),
    role: 'all',
    duties: () => [{ duty: 'projector', state: 'working' }],
    reactions: () => reactor.status(),
    baseUrl: BASE_URL,
    keyPrefix: 'brs',
    jsonLdNamespace: 'bourse',
    securityContact: 'mailto:security@bourse.example',
    digest: createDigest((at) => llmsFullText(views, BASE_URL, routes, at), Date.now),
  };
  await projector.start();
  const reactor = startReactor({
    events,
    checkpoints: memoryCheckpoints(),
    reactions: [
      whenMandateSpentCreateTrial(services),
      whenJobEndedReleaseSpend(services),
      whenPaymentNotNeededReturnIt(services),
    ],
    onError: complain,
  });
  return {
    services,
    async close() {
      await commands.idle();
      await reactor.stop();
      await services.jobWatch.close();
      await projector.stop();
      await views.close();
      await events.close();
    },
  };
}

const AT = '2026-06-02T08:00:00.000Z';
const [registered] = agencyEvents;
const [published] = agentEvents;
const [methodologyPublished] = methodologyEvents;
const { methodology } = methodologyPublished.example;

/** The agency, agent and methodology of the events' own examples. */
export async function publishExamples({ commands, projector }: Services): Promise<void> {
  const at = (): ReturnType<typeof call> => call({ at: AT });
  const { agent, listing } = published.example;
  await commands.run(methodologyDecider, METHODOLOGY_ID, { type: 'PublishMethodology', methodology }, at());
  await commands.run(
    agencyDecider,
    listing.agency.slug,
    { type: 'RegisterAgency', ...registered.example },
    at(),
  );
  const listed = publishedMethodology(methodology, AT);
  await commands.run(
    agentDecider,
    agent,
    { type: 'PublishAgent', ...published.example, methodology: listed },
    at(),
  );
  await projector.caughtUp();
}
