/** What monitoring is told of a process. */
import { z } from 'zod';
import { idSchema } from '../../../events/ids.ts';
import type { EngineName } from '../../logging/engine-notes.ts';
import { ROLES } from '../../settings/roles.ts';
import {
  flagField,
  nullableMomentField,
  nullableTextField,
  textField,
} from '../../../projections/public-fields.ts';

export const viewSchema = z
  .strictObject({
    view: textField('The name of the view.', 'jobs'),
    state: z.enum(['current', 'catching-up', 'building', 'rebuilding', 'stuck', 'newer']).meta({
      description:
        '`current` stands at the end of the log; `building` was never whole and is not served until it is; ' +
        '`rebuilding` serves an older version while its own is built; ' +
        '`stuck` waits at an event for a person; `newer` is fed by a newer program.',
      example: 'current',
    }),
    checkpoint: nullableTextField(
      'The position in the log up to which it has taken everything in: what is served, or else what is built.',
      '0000000000000042',
    ),
    served: flagField(
      'Whether questions to it are answered; until it has been whole once, they are told to come again.',
      true,
    ),
    behindMs: z.number().meta({
      description: 'For how long the log has been ahead of a checkpoint that does not move.',
      example: 0,
    }),
    healthy: flagField('Whether it counts as healthy.', true),
  })
  .meta({ id: 'ViewReadiness', description: 'One view, and how far it is behind the log.' });

/** Every engine, as monitoring knows it. */
export const ENGINES = ['log', 'views', 'queue', 'account-keys'] as const satisfies readonly EngineName[];

const engineSchema = z
  .strictObject({
    engine: z.enum(ENGINES).meta({ description: 'What it is for.', example: 'log' }),
    state: z.enum(['up', 'away', 'foreign']).meta({
      description:
        '`away`: it cannot be read, or not be written where this process writes it: it is not reached, full, ' +
        'read-only, locked by others, damaged, or its files were removed. The log of the process says which. ' +
        '`foreign`: the keys of accounts are not those of this log; texts cannot be read.',
      example: 'up',
    }),
  })
  .meta({
    id: 'EngineReadiness',
    description: 'Where events, views, tasks or the keys of accounts are kept.',
  });

const serviceSchema = z
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
    reaction: textField('Its name.', 'when-job-changed-notify'),
    checkpoint: nullableTextField('The position in the log up to which it has reacted.', '0000000000000042'),
    failingSince: nullableMomentField(
      'Since when it has been failing; null when it is not.',
      '2026-11-27T09:30:00.000Z',
    ),
    failingEventId: idSchema('event').nullable().meta({
      description:
        'The event that it cannot take, which a person may skip; null where it is not failing, or not at an event.',
      example: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wk',
    }),
    missingRight: nullableTextField(
      'Which user of the log lacks which right at which stream, where it fails for that.',
      'EventStoreDB does not let the user bourse write to a stream: the right $w is missing',
    ),
  })
  .meta({ id: 'ReactionReadiness', description: 'One reaction that this process runs.' });

export const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'degraded']).meta({
      description: '`degraded`: it does its work, and something that it can do without is missing.',
      example: 'ready',
    }),
    role: z
      .enum(ROLES)
      .optional()
      .meta({ description: 'What this process does of the whole.', example: 'all' }),
    head: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The position of the last event in the log.', example: '0000000000000042' }),
    engines: z.array(engineSchema).optional().meta({ description: 'Every engine.' }),
    duties: z
      .array(serviceSchema)
      .optional()
      .meta({ description: 'What this process does beside answering requests.' }),
    reactions: z
      .array(reactionSchema)
      .optional()
      .meta({ description: 'The reactions that run in this process.' }),
    views: z.array(viewSchema).optional().meta({ description: 'Every view.' }),
  })
  .meta({
    id: 'Readiness',
    description: 'The process can do its work. Strangers are told its status and nothing else.',
  });

export type Engine = (typeof ENGINES)[number];
export type EngineReadiness = z.output<typeof engineSchema>;
export type ViewReadiness = z.output<typeof viewSchema>;
export type ReactionReadiness = z.output<typeof reactionSchema>;
export type Readiness = z.output<typeof readinessSchema>;
