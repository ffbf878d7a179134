/** The composition root: which engine stands behind each port, and what runs beside the requests. */
import { join } from 'node:path';
import { decodeEvent } from '../events/catalog.ts';
import { jobEvents } from '../events/job-events.ts';
import { createFolderBlobs } from '../infra/folder/blobs.ts';
import { createMemoryLimiter } from '../infra/memory/limiter.ts';
import { createTestPayments } from '../infra/memory/payments.ts';
import { makeDataFolder } from '../infra/sqlite/data-folder.ts';
import { openSqliteLog } from '../infra/sqlite/event-store.ts';
import { openSqliteQueue } from '../infra/sqlite/queue.ts';
import { openSqliteViewStore } from '../infra/sqlite/view-store.ts';
import { createFetcher } from '../infra/undici/fetcher.ts';
import { accountsProjection } from '../projections/accounts.ts';
import { apiKeysProjection } from '../projections/api-keys.ts';
import { artifactsProjection } from '../projections/artifacts.ts';
import { directoryProjections } from '../projections/directory.ts';
import { jobsProjection } from '../projections/jobs.ts';
import { keySecretsProjection } from '../projections/key-secrets.ts';
import { notifySecretsProjection, webhookEndpointsProjection } from '../projections/webhook-endpoints.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { authenticate } from './operations/authenticate.ts';
import type { Services } from './operations/services.ts';
import { createSigner } from './operations/signer.ts';
import { whenAgencyRevisedReviseListings } from './reactions/when-agency-revised-revise-listings.ts';
import { whenJobChangedNotify } from './reactions/when-job-changed-notify.ts';
import { whenJobEndedReleaseSpend } from './reactions/when-job-ended-release-spend.ts';
import { whenMandateSpentCreateTrial } from './reactions/when-mandate-spent-create-trial.ts';
import { whenMethodologyPublishedRescoreAgents } from './reactions/when-methodology-published-rescore-agents.ts';
import { whenPaymentNotNeededReturnIt } from './reactions/when-payment-not-needed-return-it.ts';
import { createCommandRunner } from './runners/command-runner.ts';
import { createDenialLog } from './runners/denial-log.ts';
import { createProjector } from './runners/projector.ts';
import { type Reaction, type Reactor, startReactor } from './runners/reactor.ts';
import { createStreamWatch } from './runners/stream-watch.ts';
import { startTaskRunner, type TaskKind, type TaskRunner } from './runners/task-runner.ts';
import { seedDemo } from './seeding/seed-demo.ts';
import type { Blobs } from './ports/blobs.ts';
import type { Fetcher } from './ports/fetcher.ts';
import type { NewTask } from './ports/queue.ts';
import type { App } from './serve.ts';
import { routes } from './http/routes.ts';
import { createDigest } from './operations/digest.ts';
import { llmsFullText } from './web/machine/llms-full.ts';
import { keptSigningSecret } from './signing-secret.ts';
import { deliver } from './tasks/deliver.ts';
import { expireDrafts } from './tasks/expire-drafts.ts';
import { pruneDeliveries } from './tasks/prune-deliveries.ts';
import { rescoreDueAgents } from './tasks/rescore-due-agents.ts';

export const projections = [
  ...directoryProjections,
  jobsProjection,
  artifactsProjection,
  keySecretsProjection,
  apiKeysProjection,
  accountsProjection,
  webhookEndpointsProjection,
  notifySecretsProjection,
] as const;

const LIMIT_WINDOW_SECONDS = 60;

export interface Market extends App {
  /** Projects to where the log ends now; for commands that read views without a server beside them. */
  readonly catchUp: () => Promise<void>;
}

/**
 * Opens the market of the data folder on its engines. Nothing runs beside until it is started.
 * @throws {StoreUnavailable | ViewsUnavailable} the folder or a file in it cannot be used; the message says why
 */
export async function openMarket(config: Config, log: Log): Promise<Market> {
  await makeDataFolder(config.dataDir);
  const dataFile = join(config.dataDir, 'bourse.db');
  const viewsFile = join(config.dataDir, 'views.db');
  const sqlite = await openSqliteLog({ path: dataFile, maintain: [viewsFile] });
  const views = openSqliteViewStore(viewsFile);
  const projector = createProjector({
    store: sqlite.store,
    views,
    projections,
    decode: decodeEvent,
    now: Date.now,
    onTrouble: ({ view, error }) => log.error({ view, err: error }, 'projector in trouble'),
  });
  const commands = createCommandRunner(sqlite.store);
  const { queue, deliveries } = openSqliteQueue(join(config.dataDir, 'queue.db'));
  const services: Services = {
    events: sqlite.store,
    commands,
    denials: createDenialLog(commands),
    views,
    projector,
    jobWatch: createStreamWatch(
      sqlite.store,
      jobEvents.map(({ type }) => type),
    ),
    payments: createTestPayments(),
    blobs: await openBlobs(config),
    queue,
    deliveries,
    recordLimiter: createMemoryLimiter(LIMIT_WINDOW_SECONDS),
    signer: createSigner(config.signingSecret ?? keptSigningSecret(config.dataDir)),
    baseUrl: config.baseUrl,
    keyPrefix: config.keyPrefix,
    jsonLdNamespace: config.jsonLdNamespace,
    securityContact: config.securityContact,
    digest: createDigest((at) => llmsFullText(views, config.baseUrl, routes, at), Date.now),
  };
  const fetcher = createFetcher();
  let reactor: Reactor | null = null;
  let tasks: TaskRunner | null = null;

  return {
    services,
    authenticate: (apiKey) => authenticate(services, apiKey),
    limiter: createMemoryLimiter(LIMIT_WINDOW_SECONDS),
    dataFile,
    seed: () => seedDemo(services, new Date().toISOString()),
    catchUp: () => projector.catchUpOnce(),
    async start() {
      await projector.start();
      reactor = startReactor({
        events: sqlite.store,
        checkpoints: sqlite.checkpoints,
        reactions: reactionsOf(services),
        onError: (reaction, error) => log.error({ reaction, err: error }, 'reaction failed'),
      });
      const kinds = tasksOf(services, fetcher);
      await queue.add(standingTasks(), Date.now());
      tasks = startTaskRunner({
        queue,
        kinds,
        now: Date.now,
        onError: (task, error) => log.warn({ task, err: error }, 'task failed'),
      });
    },
    async close() {
      await tasks?.stop();
      await commands.idle();
      await reactor?.stop();
      await services.jobWatch.close();
      await queue.close();
      await fetcher.close();
      await projector.stop();
      await views.close();
      await sqlite.close();
    },
  };
}

/** The SDK of S3 is large: it is loaded only where it is needed. */
async function openBlobs({ dataDir, artifactsBucket }: Config): Promise<Blobs> {
  if (artifactsBucket === undefined) return createFolderBlobs(join(dataDir, 'artifacts'));
  const { createS3Blobs } = await import('../infra/s3/blobs.ts');
  return createS3Blobs(artifactsBucket);
}

function reactionsOf(services: Services): readonly Reaction[] {
  return [
    whenMandateSpentCreateTrial(services),
    whenJobEndedReleaseSpend(services),
    whenPaymentNotNeededReturnIt(services),
    whenJobChangedNotify(services),
    whenAgencyRevisedReviseListings(services),
    whenMethodologyPublishedRescoreAgents(services),
  ];
}

function tasksOf(services: Services, fetcher: Fetcher): readonly TaskKind[] {
  return [
    expireDrafts(services),
    rescoreDueAgents(services),
    deliver(services, fetcher),
    pruneDeliveries(services),
  ];
}

/** Tasks that there is always one of, however often the service starts: each repeats itself. */
function standingTasks(): readonly NewTask[] {
  return ['expire-drafts', 'rescore-due-agents', 'prune-deliveries'].map((name) => ({
    id: name,
    name,
    payload: '{}',
    dueAtMs: 0,
  }));
}
