import { z } from 'zod';
import { violations } from '../../../commands/mandate/controls.ts';
import { slug } from '../../../events/common.ts';
import { trialOffer } from './trial-offer.ts';
import { defineOperation } from '../operation.ts';
import { mandateStateSchema } from '../schemas/mandate-state.ts';
import { detailSchema } from '../schemas/refusal-detail.ts';
import { mandateOf } from '../mandates/get-mandate.ts';
import { exampleMandateState, mandateStateAt } from '../mandates/mandate-schema.ts';
import { asDetail } from '../mandates/refuse-spend.ts';
import { countField, flagField } from '../../../projections/public-fields.ts';

export const checkMandate = defineOperation({
  name: 'checkMandate',
  summary: 'Whether your mandate would let a trial pass, without spending.',
  description: 'The same decision as createTrial, made on the same state; nothing is recorded.',
  tag: 'mandates',
  kind: 'query',
  scope: 'mandate:read',
  input: z.strictObject({
    agent: slug.meta({ description: 'The agent to hire.', example: 'invoice-matcher' }),
    maxAmountCents: z.int().min(0).optional().meta({ description: 'As in createTrial.', example: 2_000 }),
  }),
  output: z
    .strictObject({
      allowed: flagField('Whether the spend would pass.', true),
      amountCents: countField('What it would cost.', 1_900),
      violations: z
        .array(detailSchema)
        .meta({ description: 'Every control that would not let it pass, in order, as a denial names it.' }),
      mandateState: mandateStateSchema,
    })
    .meta({ id: 'MandateCheck', description: 'What the mandate would say to a spend.' }),
  refusals: ['not_found', 'conflict', 'price_changed'],
  example: {
    input: { agent: 'invoice-matcher' },
    output: {
      allowed: true,
      amountCents: 1_900,
      violations: [],
      mandateState: exampleMandateState,
    },
  },
  async run({ agent, maxAmountCents }, call, services) {
    const offer = await trialOffer(services, agent, maxAmountCents);
    if (!offer.ok) return offer;
    const { amountCents, agency } = offer;
    const mandate = await mandateOf(services, call);
    const attempt = { action: 'trial:create', amountCents, payee: { agency, agent } };
    const violated = violations(mandate, attempt, call.at).map(asDetail);
    const mandateState = mandateStateAt(mandate, call.at);
    return {
      ok: true,
      data: { allowed: violated.length === 0, amountCents, violations: violated, mandateState },
    };
  },
});
