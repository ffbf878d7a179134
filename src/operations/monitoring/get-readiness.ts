/** What monitoring asks of a process: whether it can do its work, and how the parts that it needs stand. */
import { z } from 'zod';
import { NotPermitted, StoreUnavailable } from '../../../events/event-store.ts';
import { ViewsUnavailable } from '../../../projections/view-store.ts';
import { type Call, defineOperation } from '../operation.ts';
import { type Detail, refuse, standsAt } from '../refusals.ts';
import { exampleFrom } from '../example-from.ts';
import { askEngine } from './ask-engine.ts';
import type { Services } from '../services.ts';
import { ForeignAccountKeys } from '../../ports/account-keys.ts';
import { hasService, isServing } from '../../settings/roles.ts';
import type { ViewStatus } from '../../projecting/projector-status.ts';
import type { ReactionStatus } from '../../background/reactor.ts';
import {
  ENGINES,
  type Engine,
  type EngineReadiness,
  type ReactionReadiness,
  type Readiness,
  readinessSchema,
  viewSchema,
  type ViewReadiness,
} from './readiness-schema.ts';
import { inTime } from '../../timing/in-time.ts';

/** A reaction that fails now and then is tried again at once; one that fails for so long wants a person. */
const REACTION_UNWELL_AFTER_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
/** Longer than another program may hold the lock of the log (infra/sqlite/log-committer.ts). */
const ANSWER_WITHIN_MS = 3_000;
const LOOK_LASTS_MS = 1_000;

export const getReadiness = defineOperation({
  name: 'getReadiness',
  summary: 'Whether this process can do its work.',
  description:
    'Strangers are told the status alone, as it was within the last second. The rest is for monitoring, with `Authorization: Bearer` and the ' +
    'METRICS_TOKEN of the process, and for this machine where the public address is of this machine too. ' +
    'Answers 503 `unavailable` when it cannot: the log, the views or the keys of accounts cannot be used, it answers requests and a view ' +
    'is still being built first, or it keeps the views and one is not healthy. `error.details` lists the engines or ' +
    'the views. A process that only reads views serves them also when they are old, one that only keeps them builds ' +
    'what is missing, and without a queue work waits in the log: all that is `degraded`.',
  tag: 'operations',
  kind: 'query',
  scope: null,
  input: z.strictObject({}),
  output: readinessSchema,
  refusals: ['unavailable'],
  example: {
    input: {},
    output: {
      status: 'ready',
      role: 'worker',
      head: '0000000000000042',
      engines: ENGINES.map((engine) => ({ engine, state: 'up' as const })),
      duties: [
        { duty: 'reactor', state: 'standing-by' },
        { duty: 'tasks', state: 'working' },
      ],
      reactions: [
        {
          reaction: 'when-job-changed-notify',
          checkpoint: '0000000000000042',
          failingSince: null,
          failingEventId: null,
          missingRight: null,
        },
      ],
      views: [exampleFrom(viewSchema)],
    },
  },
  async run(_input, call, services) {
    if (call.isMonitor === true) return readiness(call, services);
    return withoutDetails(await lookForStrangers(call, services));
  },
});

/** Anybody may ask, as often as they like: a look costs reads of every engine and is had once for all of them. */
function lookForStrangers(call: Call, services: Services): Promise<ReadinessOutcome> {
  const nowMs = performance.now();
  const last = looks.get(services.projector);
  if (last !== undefined && nowMs - last.atMs < LOOK_LASTS_MS) return last.outcome;
  const outcome = readiness(call, services);
  looks.set(services.projector, { atMs: nowMs, outcome });
  return outcome;
}

/** By the one projector of each process. */
const looks = new WeakMap<
  Services['projector'],
  { readonly atMs: number; readonly outcome: Promise<ReadinessOutcome> }
>();

async function readiness(call: Call, services: Services): Promise<ReadinessOutcome> {
  const engines = await askEngines(services);
  const isAway = (name: Engine): boolean =>
    engines.some((one) => one.engine === name && one.state === 'away');
  if (isAway('log') || isAway('views') || isAway('account-keys'))
    return notReady(awayNames(engines), engines);

  const { head, projectorError, views: all } = await services.projector.status();
  const views = all.map(viewReadiness);
  const duties = services.duties();
  if (hasService(services.role, 'projector')) {
    if (!duties.some(({ duty, state }) => duty === 'projector' && state !== 'stopped'))
      return notReady('the projector, which does not run', views);
    if (views.some(({ healthy }) => !healthy))
      return notReady(
        unwell(views, ({ healthy }) => healthy),
        views,
      );
  }
  if (isServing(services.role) && views.some(({ served }) => !served))
    return notReady(
      unwell(views, ({ served }) => served),
      views,
    );
  const reactions = services.reactions().map(reactionReadiness);
  const secretError = services.secretError();
  services.noteEngine('signing-secret', secretError);
  const isWhole =
    secretError === null &&
    engines.every(({ state }) => state === 'up') &&
    projectorError === null &&
    views.every(({ healthy, served }) => healthy && served) &&
    reactions.every((one) => one.missingRight === null && !isUnwell(one.failingSince, Date.parse(call.at)));
  return {
    ok: true,
    data: {
      status: isWhole ? 'ready' : 'degraded',
      role: services.role,
      head,
      engines: engines.map(({ engine, state }) => ({ engine, state })),
      duties: [...duties],
      reactions,
      views,
    },
  };
}

/** What a stranger is told: neither which engines there are, nor how busy the market is. */
function withoutDetails(outcome: ReadinessOutcome): ReadinessOutcome {
  if (outcome.ok) return { ok: true, data: { status: outcome.data.status } };
  const { retryAfterSeconds = RETRY_AFTER_SECONDS } = outcome.refusal;
  return refuse('unavailable', 'Not ready.', { retryAfterSeconds });
}

type ReadinessOutcome = { readonly ok: true; readonly data: Readiness } | ReturnType<typeof refuse>;

interface AskedEngine extends EngineReadiness {
  /** What monitoring may be told of it: which right is missing. Other reasons, as paths of files, are for the log. */
  readonly why: string | null;
}

/** What is away for monitoring is away at this moment: whether it can be read, and written by whoever writes it. */
function askEngines(services: Services): Promise<AskedEngine[]> {
  const writesViews = hasService(services.role, 'projector');
  const answers = ENGINES.map(async (engine): Promise<AskedEngine> => {
    const failure = await failureOf(askEngine(engine, services, writesViews).catch(unlessViewsTell(engine)));
    services.noteEngine(engine, failure);
    const why = failure instanceof NotPermitted ? failure.message : null;
    return { engine, state: stateOf(failure), why };
  });
  return Promise.all(answers);
}

function stateOf(failure: unknown): EngineReadiness['state'] {
  if (failure === null) return 'up';
  return failure instanceof ForeignAccountKeys ? 'foreign' : 'away';
}

/** Keys are tried on documents of the views: views that cannot be read are away themselves, and say nothing of keys. */
function unlessViewsTell(engine: Engine): (error: unknown) => void {
  return (error) => {
    if (engine !== 'account-keys' || !(error instanceof ViewsUnavailable)) throw error;
  };
}

/** Null where it came to be in time. */
function failureOf(asked: Promise<unknown>): Promise<unknown> {
  const late = () => new StoreUnavailable(`it has not answered for ${ANSWER_WITHIN_MS} ms`);
  return inTime(asked, ANSWER_WITHIN_MS, late).then(
    () => null,
    (error: unknown) => error,
  );
}

function notReady(what: string, parts: readonly (AskedEngine | ViewReadiness)[]) {
  const details = parts.flatMap((part): readonly Detail[] => {
    if ('view' in part) return standsAt(part.view, part.state);
    const { engine, state, why } = part;
    return why === null
      ? standsAt(engine, state)
      : [{ path: engine, message: `is ${state}: ${why}`, value: state }];
  });
  return refuse('unavailable', `Not ready: ${what}.`, { details, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function awayNames(engines: readonly EngineReadiness[]): string {
  const away = engines.filter(({ state }) => state === 'away').map(({ engine }) => `the ${WORDS[engine]}`);
  return `${away.join(' and ')} cannot be used`;
}

const WORDS: Readonly<Record<Engine, string>> = {
  log: 'log',
  views: 'views',
  queue: 'queue',
  'account-keys': 'keys of accounts',
};

function unwell(views: readonly ViewReadiness[], isWell: (view: ViewReadiness) => boolean): string {
  return views
    .filter((view) => !isWell(view))
    .map(({ view, state, served }) => `${view} (${wordsFor(state, served)})`)
    .join(', ');
}

function wordsFor(state: ViewReadiness['state'], isServed: boolean): string {
  if (state === 'building') return 'being built';
  return isServed ? state : `${state} while it was being built`;
}

function isUnwell(failingSince: string | null, nowMs: number): boolean {
  return failingSince !== null && nowMs - Date.parse(failingSince) >= REACTION_UNWELL_AFTER_MS;
}

function reactionReadiness({ name, checkpoint, failing }: ReactionStatus): ReactionReadiness {
  return {
    reaction: name,
    checkpoint,
    failingSince: failing?.since ?? null,
    failingEventId: failing?.event?.id ?? null,
    missingRight: failing?.missingRight ?? null,
  };
}

function viewReadiness({
  view,
  state,
  isServed,
  checkpoint,
  building,
  behindMs,
  isHealthy,
}: ViewStatus): ViewReadiness {
  const place = isServed ? checkpoint : (building?.checkpoint ?? null);
  return { view, state, checkpoint: place, served: isServed, behindMs, healthy: isHealthy };
}
