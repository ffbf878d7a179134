/** The composition root: what operations work with, and what a process of this role does beside the requests. */
import { decodeEvent, eventCatalog } from '../../events/catalog.ts';
import { jobEvents } from '../../events/job-events.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { projections } from '../../projections/catalog.ts';
import type { Config } from '../settings/config.ts';
import { type Engines, openEngines } from './engines.ts';
import { logFailure } from '../logging/failures.ts';
import type { Log } from '../logging/log.ts';
import { createPrivateTexts } from '../operations/private-texts/private-texts.ts';
import type { Services } from '../operations/services.ts';
import { createSigner } from '../operations/signer.ts';
import { reactions } from '../reactions/reactions.ts';
import { type ServiceName, hasService } from '../settings/roles.ts';
import { createCommandRunner } from '../commanding/command-runner.ts';
import { createDenialLog } from '../commanding/denial-log.ts';
import {
  type BackgroundServices,
  type BackgroundService,
  startBackgroundServices,
} from '../background/background-services.ts';
import { engineNotes, type NoteEngine } from '../logging/engine-notes.ts';
import { markingCheckpoints, type QueueBehind } from '../following/marking-checkpoints.ts';
import { createProjector } from '../projecting/projector.ts';
import { projectingService } from '../background/projecting-service.ts';
import { type ReactionPlace, reactionPlace, skipsOf } from '../background/reaction-places.ts';
import { type Reactor, startReactor } from '../background/reactor.ts';
import { sharedLog } from '../following/shared-log.ts';
import { createStreamWatch, MAX_WAITERS } from '../following/stream-watch.ts';
import { startTaskRunner, type TaskKind } from '../background/task-runner.ts';
import { createExports } from '../exporting/exports.ts';
import { readDataSet } from '../importing/known-rows.ts';
import { type DemoFilling, type DemoSeeding, fillDemo, type SeedOptions } from '../seeding/seed-demo.ts';
import type { App } from './serve.ts';
import { routes } from '../http/routes.ts';
import { createDigest } from '../operations/digest.ts';
import { LOG_MS } from '../operations/time-budget.ts';
import { createMetering } from '../operations/plans/metering.ts';
import { createNoteThresholds } from '../operations/plans/quota-thresholds.ts';
import { llmsFullText } from '../web/machine/llms-full.ts';
import { isSecretKept, keptSigningSecret, UnusableSecret } from '../settings/signing-secret.ts';
import { checkpointUsage } from '../tasks/checkpoint-usage.ts';
import { deliver } from '../tasks/deliver.ts';
import { finishImports } from '../tasks/finish-imports.ts';
import { renewModels } from '../tasks/renew-models.ts';
import { expireDrafts } from '../tasks/expire-drafts.ts';
import { pruneDeliveries } from '../tasks/prune-deliveries.ts';
import { removeUnnamedBlob } from '../tasks/remove-unnamed-blob.ts';
import { rescoreAgentInTime } from '../tasks/rescore-agent.ts';
import { rescoreDueAgents } from '../tasks/rescore-due-agents.ts';
import { keepStandingTasks } from '../tasks/standing-tasks.ts';
import { aborted } from '../timing/aborted.ts';
import { keepHeapSmall } from './small-heap.ts';

const EVENT_TYPES = eventCatalog.map(({ type }) => type);

const LIMIT_WINDOW_SECONDS = 60;
/** A command bears with another process that keeps the views: thrice as long as it takes to replace a dead one. */
const OTHERS_MS = 30_000;

export interface Market extends App {
  /** Fills an empty market and makes its buyer, where nobody asks meanwhile. */
  readonly seed: (options?: SeedOptions) => Promise<DemoSeeding>;
  /** Keeps the views up to date and does nothing else; for commands that need them without a server beside them. */
  readonly project: () => void;
  /** Projects to where the log ends now. @throws {ViewsUnavailable} another process was to do so, and has not */
  readonly catchUp: () => Promise<void>;
  /** Where each reaction stands, whichever process runs it. */
  readonly reactionPlaces: () => Promise<readonly ReactionPlace[]>;
}

/**
 * Opens the market on the engines that the settings choose. Nothing runs beside until it is started.
 * @throws {StoreUnavailable | ViewsUnavailable | QueueUnavailable} an engine cannot be used; the message says why
 */
export async function openMarket(config: Config, log: Log): Promise<Market> {
  const noteEngine = engineNotes(log);
  const engines = await openEngines(config, log, noteEngine);
  try {
    return marketOn(engines, config, log, noteEngine);
  } catch (error) {
    await engines.close();
    throw error;
  }
}

/** The market on engines that are open; it closes them. */
function marketOn(engines: Engines, config: Config, log: Log, noteEngine: NoteEngine): Market {
  let background: BackgroundServices | null = null;
  let reactor: Reactor | null = null;
  const services = servicesOn(engines, config, log, {
    duties: () => background?.status() ?? [],
    reactions: () => reactor?.status() ?? [],
    noteEngine,
  });
  const { projector, commands } = services;

  async function react(signal: AbortSignal): Promise<void> {
    const { events } = services;
    const { queue } = engines;
    const made = Object.values(reactions).map((make) => make(services));
    const filling = made.filter(({ fillsQueue }) => fillsQueue === true).map(({ name }) => name);
    const onBehind = (behind: QueueBehind): void =>
      log.warn(behind, 'the queue was set back: what it was given since is given once more');
    reactor = startReactor({
      events,
      checkpoints: markingCheckpoints(engines.checkpoints, { events, queue, filling, onBehind }),
      reactions: made,
      isSkipped: skipsOf(commands),
      onError: (reaction, error, eventId) =>
        logFailure(log, error, { reaction, ...(eventId !== null && { event: eventId }) }, 'reaction failed'),
    });
    await aborted(signal);
    await reactor.stop();
    reactor = null;
  }
  async function doTasks(signal: AbortSignal): Promise<void> {
    const { queue } = engines;
    const onError = (task: string, error: unknown): void => logFailure(log, error, { task }, 'task failed');
    const kinds = tasksOf(services, engines, config, log);
    const tasks = startTaskRunner({ queue, kinds, now: Date.now, onError });
    await keepStandingTasks(queue, kinds, signal, (error) => onError('standing tasks', error));
    await tasks.stop();
  }
  /** The projector tries again by itself; whoever only reads must know at the start that it can. */
  async function openViews(): Promise<void> {
    try {
      await services.projector.open();
    } catch (error) {
      if (!(error instanceof ViewsUnavailable && hasService(config.role, 'projector'))) throw error;
    }
  }
  const all: readonly BackgroundService[] = [
    projectingService(projector, false),
    { name: 'reactor', isExclusive: true, work: react },
    { name: 'tasks', isExclusive: false, work: doTasks },
  ];

  const begin = (wanted: readonly BackgroundService[]): void => {
    const onError = (service: ServiceName, error: unknown): void =>
      logFailure(log, error, { duty: service }, 'duty in trouble');
    background ??= startBackgroundServices(wanted, { leases: engines.leases, onError });
  };
  const fill = async (signal?: AbortSignal): Promise<DemoFilling> => {
    // A log that is not the one that its followers know only looks empty.
    if (engines.lost() !== null) return { kind: 'not_empty' };
    // On an empty log there are views to serve at once, which then take in the seeds: none has to be built first.
    await openViews();
    return fillDemo(services, new Date().toISOString(), signal);
  };
  const project = (): void => {
    keepHeapSmall();
    begin([projectingService(projector, true)]);
  };

  return {
    services,
    limiter: engines.createLimiter('public', LIMIT_WINDOW_SECONDS),
    logPlace: engines.logPlace,
    fill,
    async seed({ signal, show = () => {} } = {}) {
      const filling = await fill(signal);
      return filling.kind === 'filled' ? filling.makeKey(show) : filling;
    },
    project,
    async catchUp() {
      project();
      await projector.caughtUp(OTHERS_MS);
    },
    reactionPlaces: () =>
      Promise.all(Object.values(reactions).map((make) => reactionPlace(make(services), engines))),
    async start() {
      await openViews();
      // It goes on answering, so that whoever asks is told; nothing is brought about from such a log.
      if (engines.lost() !== null) return;
      if (config.role === 'projector') keepHeapSmall();
      begin(all.filter(({ name }) => hasService(config.role, name)));
    },
    async close() {
      projector.dismiss();
      await background?.stop();
      await commands.idle();
      await services.jobWatch.close();
      await projector.stop();
      await services.exports.close();
      await engines.close();
    },
  };
}

/** What operations work with, on engines that are open. Nothing runs beside it. */
export function servicesOn(
  engines: Engines,
  config: Config,
  log: Log,
  activity: Pick<Services, 'duties' | 'reactions'> & Partial<Pick<Services, 'noteEngine'>>,
): Services {
  const { views, queue, deliveries, blobs, payments } = engines;
  const events = sharedLog(engines.events, EVENT_TYPES);
  const projector = createProjector({
    store: events,
    views,
    projections,
    decode: decodeEvent,
    now: Date.now,
    onError: ({ view, error }) => logFailure(log, error, { view }, 'projector in trouble'),
  });
  const commands = createCommandRunner(events);
  const noteThresholds = createNoteThresholds({ commands }, (error) =>
    logFailure(log, error, {}, 'threshold of a quota not noted'),
  );
  const secret = config.signingSecret ?? keptSigningSecret(config.dataDir);
  return {
    events,
    hasBegun: events.hasBegun,
    commands,
    logMs: LOG_MS,
    denials: createDenialLog(commands, log),
    views,
    projector,
    jobWatch: createStreamWatch(
      events,
      jobEvents.map(({ type }) => type),
      { waiters: MAX_WAITERS, perOwner: config.maxWaitingRequests },
    ),
    payments,
    checkout: config.checkout ?? 'none',
    blobs,
    exports: createExports({
      views,
      scratch: engines.scratch,
      history: (dataset, options) => readDataSet(events, dataset, options),
      now: Date.now,
    }),
    queue,
    deliveries,
    metering: createMetering({ meter: engines.meter, commands, views, logMs: LOG_MS, noteThresholds }),
    recordLimiter: engines.createLimiter('records', LIMIT_WINDOW_SECONDS),
    privateTexts: createPrivateTexts(engines.accountKeys),
    signer: createSigner(secret, config.signingSecretBefore),
    secretError: () =>
      config.signingSecret !== undefined || isSecretKept(config.dataDir, secret)
        ? null
        : new UnusableSecret(
            `${config.dataDir}/signing-secret was removed or changed: put it back before the next start, which would sign with another one and void every address`,
          ),
    role: config.role,
    noteEngine: engineNotes(log),
    ...activity,
    orderVisibleDays: config.orderVisibleDays,
    limits: {
      webhookEndpoints: config.maxWebhookEndpoints,
      listings: config.maxListings,
      profileChangesPerDay: config.dailyProfileChanges,
      bundleVersionsPerDay: config.dailyBundleVersions,
    },
    baseUrl: config.baseUrl,
    keyPrefix: config.keyPrefix,
    jsonLdNamespace: config.jsonLdNamespace,
    securityContact: config.securityContact,
    digest: createDigest((at) => llmsFullText(views, config.baseUrl, routes, at), Date.now),
  };
}

function tasksOf(
  services: Services,
  { fetcher, meter }: Pick<Engines, 'fetcher' | 'meter'>,
  { maxDeliveries, modelRouterUrl }: Pick<Config, 'maxDeliveries' | 'modelRouterUrl'>,
  log: Log,
): readonly TaskKind[] {
  return [
    expireDrafts(services),
    rescoreDueAgents(services),
    rescoreAgentInTime(services),
    deliver(services, fetcher, maxDeliveries),
    pruneDeliveries(services),
    checkpointUsage(services, meter),
    finishImports(services),
    removeUnnamedBlob(services),
    ...(modelRouterUrl === undefined ? [] : [renewModels(services, fetcher, modelRouterUrl, log)]),
  ];
}
