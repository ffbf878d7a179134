/** What monitoring asks of a process: whether it can do its work, and how the parts that it needs stand. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { timestamp } from '../../events/common.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { defineOperation } from '../operations/operation.ts';
import { refuse, standsAt } from '../operations/refusals.ts';
import type { EngineName, Services } from '../operations/services.ts';
import { hasDuty, isServing, ROLES } from '../roles.ts';
import type { ViewStatus } from '../runners/projector-status.ts';
import type { ReactionStatus } from '../runners/reactor.ts';

/** A reaction that fails now and then is tried again at once; one that fails for so long wants a person. */
const REACTION_UNWELL_AFTER_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
/** Longer than another program may hold the lock of the log (infra/sqlite/log-committer.ts). */
const ANSWER_WITHIN_MS = 3_000;

const viewSchema = z
  .strictObject({
    view: z.string().meta({ description: 'The name of the view.', example: 'jobs' }),
    state: z.enum(['current', 'catching-up', 'building', 'rebuilding', 'stuck', 'newer']).meta({
      description:
        '`current` stands at the end of the log; `building` was never whole and is not served until it is; ' +
        '`rebuilding` serves an older version while its own is built; ' +
        '`stuck` waits at an event for a person; `newer` is fed by a newer program.',
      example: 'current',
    }),
    checkpoint: z.string().nullable().meta({
      description:
        'The position in the log up to which it has taken everything in: what is served, or else what is built.',
      example: '0000000000000042',
    }),
    served: z.boolean().meta({
      description:
        'Whether questions to it are answered; until it has been whole once, they are told to come again.',
      example: true,
    }),
    behindMs: z.number().meta({
      description: 'For how long the log has been ahead of a checkpoint that does not move.',
      example: 0,
    }),
    healthy: z.boolean().meta({ description: 'Whether it counts as healthy.', example: true }),
  })
  .meta({ id: 'ViewReadiness', description: 'One view, and how far it is behind the log.' });

const ENGINES = ['log', 'views', 'queue'] as const satisfies readonly EngineName[];

const engineSchema = z
  .strictObject({
    engine: z.enum(ENGINES).meta({ description: 'What it is for.', example: 'log' }),
    state: z.enum(['up', 'away']).meta({
      description:
        '`away`: it cannot be read, or not be written where this process writes it: it is not reached, full, ' +
        'read-only, locked by others, damaged, or its files were removed. The log of the process says which.',
      example: 'up',
    }),
  })
  .meta({ id: 'EngineReadiness', description: 'Where events, views or tasks are kept.' });

const dutySchema = z
  .strictObject({
    duty: z
      .enum(['projector', 'reactor', 'tasks'])
      .meta({ description: 'What is done beside answering requests.', example: 'projector' }),
    state: z.enum(['working', 'standing-by', 'stopped']).meta({
      description: '`standing-by`: another process does it, and this one would take over.',
      example: 'working',
    }),
  })
  .meta({ id: 'DutyReadiness', description: 'One thing that this process does beside answering requests.' });

const reactionSchema = z
  .strictObject({
    reaction: z.string().meta({ description: 'Its name.', example: 'when-job-changed-notify' }),
    checkpoint: z.string().nullable().meta({
      description: 'The position in the log up to which it has reacted.',
      example: '0000000000000042',
    }),
    failingSince: timestamp.nullable().meta({
      description: 'Since when it has been failing; null when it is not.',
      example: '2026-11-27T09:30:00.000Z',
    }),
  })
  .meta({ id: 'ReactionReadiness', description: 'One reaction that this process runs.' });

const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'degraded']).meta({
      description: '`degraded`: it does its work, and something that it can do without is missing.',
      example: 'ready',
    }),
    role: z.enum(ROLES).meta({ description: 'What this process does of the whole.', example: 'all' }),
    head: z
      .string()
      .nullable()
      .meta({ description: 'The position of the last event in the log.', example: '0000000000000042' }),
    engines: z.array(engineSchema).meta({ description: 'Every engine.' }),
    duties: z.array(dutySchema).meta({ description: 'What this process does beside answering requests.' }),
    reactions: z.array(reactionSchema).meta({ description: 'The reactions that run in this process.' }),
    views: z.array(viewSchema).meta({ description: 'Every view.' }),
  })
  .meta({ id: 'Readiness', description: 'The process can do its work.' });

export const getReadiness = defineOperation({
  name: 'getReadiness',
  summary: 'Whether this process can do its work.',
  description:
    'Answers 503 `unavailable` when it cannot: the log or the views cannot be used, it answers requests and a view ' +
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
        { reaction: 'when-job-changed-notify', checkpoint: '0000000000000042', failingSince: null },
      ],
      views: [
        {
          view: 'jobs',
          state: 'current',
          checkpoint: '0000000000000042',
          served: true,
          behindMs: 0,
          healthy: true,
        },
      ],
    },
  },
  async run(_input, call, services) {
    const engines = await askEngines(services);
    const isAway = (name: Engine): boolean =>
      engines.some((one) => one.engine === name && one.state === 'away');
    if (isAway('log') || isAway('views')) return notReady(awayNames(engines), engines);

    const { head, trouble, views: all } = await services.projector.status();
    const views = all.map(viewReadiness);
    const duties = services.duties();
    if (hasDuty(services.role, 'projector')) {
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
    const secretTrouble = services.secretTrouble();
    services.noteEngine('signing-secret', secretTrouble);
    const isWhole =
      secretTrouble === null &&
      !isAway('queue') &&
      trouble === null &&
      views.every(({ healthy, served }) => healthy && served) &&
      reactions.every(({ failingSince }) => !isUnwell(failingSince, Date.parse(call.at)));
    return {
      ok: true,
      data: {
        status: isWhole ? 'ready' : 'degraded',
        role: services.role,
        head,
        engines,
        duties: [...duties],
        reactions,
        views,
      },
    };
  },
});

type Engine = (typeof ENGINES)[number];
type EngineReadiness = z.output<typeof engineSchema>;
type ViewReadiness = z.output<typeof viewSchema>;

/** What is away for monitoring is away at this moment: whether it can be read, and written by whoever writes it. */
async function askEngines({ events, views, queue, role, noteEngine }: Services): Promise<EngineReadiness[]> {
  const asked: Readonly<Record<Engine, Promise<unknown>>> = {
    log: Promise.all([events.head(), events.checkWritable?.()]),
    views: Promise.all([views.status(), hasDuty(role, 'projector') && views.checkWritable?.()]),
    queue: Promise.all([queue.nextDueAtMs('deliver'), queue.checkWritable?.()]),
  };
  const answers = ENGINES.map(async (engine): Promise<EngineReadiness> => {
    const failure = await failureOf(asked[engine]);
    noteEngine(engine, failure);
    return { engine, state: failure === null ? 'up' : 'away' };
  });
  return Promise.all(answers);
}

/** Null where it came to be in time. */
async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  const answered = new AbortController();
  const lateness = pause(ANSWER_WITHIN_MS, undefined, { signal: answered.signal, ref: false }).then(
    () => new StoreUnavailable(`it has not answered for ${ANSWER_WITHIN_MS} ms`),
  );
  // It ends early where the answer was in time.
  lateness.catch(() => {});
  const failure = await Promise.race([
    asked.then(
      () => null,
      (error: unknown) => error,
    ),
    lateness,
  ]);
  answered.abort();
  return failure;
}

function notReady(what: string, parts: readonly (EngineReadiness | ViewReadiness)[]) {
  const details = parts.flatMap((part) => standsAt('engine' in part ? part.engine : part.view, part.state));
  return refuse('unavailable', `Not ready: ${what}.`, { details, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function awayNames(engines: readonly EngineReadiness[]): string {
  const away = engines.filter(({ state }) => state === 'away').map(({ engine }) => `the ${engine}`);
  return `${away.join(' and ')} cannot be used`;
}

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

function reactionReadiness({ name, checkpoint, failing }: ReactionStatus): z.output<typeof reactionSchema> {
  return { reaction: name, checkpoint, failingSince: failing?.since ?? null };
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
