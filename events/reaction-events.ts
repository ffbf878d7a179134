/** What operators decide about a reaction: one stream `reaction-{name}` each. */
import { z } from 'zod';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';

export const reactionEvents = [
  defineEvent({
    type: 'ReactionEventSkipped',
    summary:
      'An operator let a reaction go on without an event that it could not take: its effect does not come about. For auditors.',
    data: z.strictObject({
      /** The name of the reaction. */
      reaction: z.string().min(1).max(100),
      eventId: idSchema('event'),
      /** The position of the event in the log at that time. */
      position: z.string(),
      reason: z.string().min(1).max(500),
    }),
    example: {
      reaction: 'when-job-changed-notify',
      eventId: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wk',
      position: '0000000000001882',
      reason: 'Written by a build that was never released; nobody is waiting for the message.',
    },
  }),
] as const;

export type ReactionFact = FactOf<(typeof reactionEvents)[number]>;
