/** What an account was alerted to about a mandate: one stream `alerts-{mandateId}`, so that it is told once. */
import { z } from 'zod';
import { cents } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { idSchema } from './ids.ts';
import { periodSchema } from './period.ts';

const mandate = { mandateId: idSchema('mandate'), accountId: idSchema('account'), keyId: idSchema('apiKey') };
/** The latest month in which a threshold was reached, and the highest that was. */
const reached = { period: periodSchema, percent: z.int().min(1).max(100) };
const example = {
  mandateId: 'mdt_01kb3j5m8xe3vb0v6yq4s5t7wz',
  accountId: 'acc_01kb3j5m8xe3vb0v6yq4s5t7wy',
  keyId: 'key_01kb3j5m8xe3vb0v6yq4s5t7wx',
};

export const alertEvents = [
  defineEvent({
    type: 'MandateThresholdReached',
    summary: 'Spends of a month came to 80 or 100 % of the monthly cap, for the first time in that month.',
    data: z.strictObject({
      ...mandate,
      ...reached,
      maxMonthlyCents: cents,
      spentThisPeriodCents: cents,
    }),
    example: {
      ...example,
      period: '2026-11',
      percent: 80,
      maxMonthlyCents: 20_000,
      spentThisPeriodCents: 17_100,
    },
  }),
  defineEvent({
    type: 'MandateDenialTold',
    summary: 'An account was told of a denied spend; those of the next ten minutes are kept, and not told.',
    data: z.strictObject({
      ...mandate,
      /** What was reached before it, or nothing, so that no event before has to be read. Events of earlier releases lack it. */
      reached: z.strictObject(reached).nullable().optional(),
    }),
    example,
  }),
] as const;

export type AlertFact = FactOf<(typeof alertEvents)[number]>;
