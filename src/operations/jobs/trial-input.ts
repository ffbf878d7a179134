/** What a buyer sends to create a trial run. */
import { z } from 'zod';
import { jsonValue, slug } from '../../../events/common.ts';
import { note } from '../../../events/texts.ts';
import { notifyAddress } from '../webhooks/notify-address.ts';

const MAX_INPUTS_BYTES = 64 * 1_024;

/**
 * Characters that show nothing, beside tabs, line and page breaks. U+FEFF stands between its neighbours, which are no characters: the
 * description writes the ends of ranges as they are, and a client in Go that holds that mark does not compile.
 */
const BLANK = String.raw` \u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufefe-\uff00\uffa0`;
const CONTROL = String.raw`\x00-\x1f\x7f-\x9f`;
/**
 * Blanks, one character that shows, then anything; no control characters but tabs and what breaks lines and pages. Blanks and what shows
 * have nothing in common, so that no text makes the search slow. Stored briefs may be older than this rule.
 */
const VISIBLE_PROSE = new RegExp(
  String.raw`^[\t\n\f\r${BLANK}]*[^${CONTROL}${BLANK}](?:[^${CONTROL}]|[\t\n\f\r])*$`,
  'u',
);

export const trialInputSchema = z.strictObject({
  agent: slug.meta({ description: 'The slug of the agent to hire.', example: 'invoice-matcher' }),
  brief: z
    .string()
    .min(1, 'must say what is to be done')
    .max(8_000, 'must have at most 8000 characters')
    .regex(
      VISIBLE_PROSE,
      'must say what is to be done, without control characters other than tabs, line and page breaks',
    )
    .meta({
      description:
        'What is to be done, in words that show: control characters other than tabs, line and page breaks are refused.',
      example: 'Match the invoices of October.',
    }),
  inputs: z
    .record(z.string(), jsonValue)
    .refine(
      (inputs) => Buffer.byteLength(JSON.stringify(inputs)) <= MAX_INPUTS_BYTES,
      'must be at most 64 KiB of JSON',
    )
    .optional()
    .meta({ description: 'Structured inputs for the agent, at most 64 KiB.', example: { month: '2026-10' } }),
  maxAmountCents: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Refuse (`price_changed`) rather than pay more than this.', example: 2_000 }),
  expectedRecords: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .meta({ description: 'How many records the job should create in your system.', example: 40 }),
  metadata: z
    .record(note(40).min(1, 'must not be empty'), note(500))
    .refine((pairs) => Object.keys(pairs).length <= 20, 'must have at most 20 pairs')
    .optional()
    .meta({
      description: 'Up to 20 notes of your own, each one line, given back with the job.',
      example: { costCentre: 'FIN-7' },
    }),
  notifyUrl: notifyAddress.optional().meta({
    description:
      'Where to post signed notifications about this job: an https address on the public internet.',
    example: 'https://buyer.example/hooks',
  }),
});
export type TrialInput = z.output<typeof trialInputSchema>;
