import { z } from 'zod';
import { exportMandate } from '../../audit/export-log.ts';
import { defineOperation, LinesAnswer, type Outcome } from '../operation.ts';
import { withinBudget } from '../time-budget.ts';
import { createUnderWay } from '../under-way.ts';
import { auditedKeyInput, auditedMandate } from './audited-mandate.ts';

const underWay = createUnderWay('exports');

export const getMandateExport = defineOperation({
  name: 'getMandateExport',
  summary: 'Your key’s mandate as a file that proves itself.',
  description:
    'Every event of the mandate as it is hashed, what the mandate denied, and the events of the key without the hashes ' +
    'of its secrets: one JSON object a line, the first and last of which say so. `docs/verifying.md` says how to check ' +
    'it with nothing of ours. At most two at a time for one account.',
  tag: 'mandates',
  kind: 'query',
  waits: true,
  scope: 'mandate:read',
  orScope: 'audit:read',
  input: z.strictObject({
    keyId: auditedKeyInput,
  }),
  output: z.unknown().meta({ description: 'The lines.' }),
  refusals: ['not_found', 'rate_limited'],
  example: { input: {}, output: null },
  async run({ keyId }, call, services): Promise<Outcome<unknown>> {
    const audited = await auditedMandate(withinBudget(services), keyId, call);
    if (!audited.ok) return audited;
    const leave = underWay.begin(call.caller.accountId);
    if (typeof leave !== 'function') return leave;
    const options = { exportedAt: call.at, withClearText: audited.isOwn };
    const lines = exportMandate(services.events, audited, options);
    return { ok: true, data: new LinesAnswer(`${audited.mandateId}.ndjson`, lines, leave) };
  },
});
