/** What monitoring asks: whether the process answers, and whether it can do its work. */
import { z } from 'zod';
import { defineOperation } from '../operations/operation.ts';
import { refuse } from '../operations/refusals.ts';
import type { ViewStatus } from '../runners/projector-status.ts';

export const getHealth = defineOperation({
  name: 'getHealth',
  summary: 'Whether the process answers.',
  description: 'Says nothing about what the process depends on: see `/readyz`.',
  tag: 'operations',
  kind: 'query',
  scope: null,
  input: z.strictObject({}),
  output: z
    .strictObject({ status: z.literal('ok').meta({ description: 'Always `ok`.', example: 'ok' }) })
    .meta({ id: 'Health', description: 'The process answers.' }),
  refusals: [],
  example: { input: {}, output: { status: 'ok' } },
  run: () => Promise.resolve({ ok: true, data: { status: 'ok' } }),
});

const viewSchema = z
  .strictObject({
    view: z.string().meta({ description: 'The name of the view.', example: 'jobs' }),
    state: z.enum(['current', 'catching-up', 'rebuilding', 'stuck', 'newer']).meta({
      description:
        '`current` stands at the end of the log; `rebuilding` serves an older version while its own is built; ' +
        '`stuck` waits at an event for a person; `newer` is fed by a newer program.',
      example: 'current',
    }),
    checkpoint: z.string().nullable().meta({
      description: 'The position in the log up to which it has taken everything in.',
      example: '0000000000000042',
    }),
    behindMs: z.number().meta({
      description: 'For how long the log has been ahead of a checkpoint that does not move.',
      example: 0,
    }),
    healthy: z.boolean().meta({ description: 'Whether it counts as healthy.', example: true }),
  })
  .meta({ id: 'ViewReadiness', description: 'One view, and how far it is behind the log.' });

const readinessSchema = z
  .strictObject({
    status: z
      .literal('ready')
      .meta({ description: 'Always `ready`; a 503 says what is not.', example: 'ready' }),
    head: z
      .string()
      .nullable()
      .meta({ description: 'The position of the last event in the log.', example: '0000000000000042' }),
    views: z.array(viewSchema).meta({ description: 'Every view.' }),
  })
  .meta({ id: 'Readiness', description: 'The log is reachable and every view is healthy.' });

export const getReadiness = defineOperation({
  name: 'getReadiness',
  summary: 'Whether the log and every view can do their work.',
  description: 'Answers 503 `unavailable` when one cannot, and lists the views in `error.details`.',
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
      head: '0000000000000042',
      views: [{ view: 'jobs', state: 'current', checkpoint: '0000000000000042', behindMs: 0, healthy: true }],
    },
  },
  async run(_input, _call, { projector }) {
    const status = await projector.status();
    const views = status.views.map(readinessOf);
    if (status.isRunning && status.isHealthy)
      return { ok: true, data: { status: 'ready', head: status.head, views } };
    const unwell = views.filter((view) => !view.healthy).map(({ view, state }) => `${view} (${state})`);
    const what = status.isRunning ? unwell.join(', ') : 'the projector, which does not run';
    return refuse('unavailable', `Not ready: ${what}.`, { details: views, retryAfterSeconds: 5 });
  },
});

function readinessOf({
  view,
  state,
  checkpoint,
  behindMs,
  isHealthy,
}: ViewStatus): z.output<typeof viewSchema> {
  return { view, state, checkpoint, behindMs, healthy: isHealthy };
}
