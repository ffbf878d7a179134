import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { violations } from '../../commands/mandate/controls.ts';
import { DENIAL_REASONS } from '../../events/mandate-events.ts';
import { REFUSAL_STATUS } from '../../src/transport/refusal-status.ts';
import { limitSettings } from '../../src/settings/limit-settings.ts';
import { terms } from '../support/sample-mandate.ts';
import { errorsDocs, limitsDocs } from '../support/reference-docs.ts';

describe('The pages of limits and errors', () => {
  for (const [name, text] of [
    ['limits', limitsDocs()],
    ['errors', errorsDocs()],
  ] as const)
    it(`${name}.md is current (npm run docs:limits writes it)`, async () => {
      const written = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
      expect(written === text, 'run npm run docs:limits').to.equal(true);
    });

  it('have every reason of a denial beside the control that it is told with', () => {
    const nothing = terms({
      allowedActions: [],
      allowedAgencies: [],
      allowedAgents: [],
      validFrom: '2026-12-01T00:00:00.000Z',
      expiresAt: '2026-01-01T00:00:00.000Z',
      maxPerTransactionCents: 0,
      maxMonthlyCents: 0,
      maxSpendsPerMonth: 0,
    });
    const attempt = { action: 'trial:create', amountCents: 1, payee: { agency: 'an', agent: 'other' } };
    const rows = errorsDocs().split('\n');
    const told = (['revoked', 'suspended'] as const).flatMap((status) => {
      const granted = { status, mandateId: 'mdt_1', accountId: 'acc_1', terms: nothing, period: '2026-11' };
      const mandate = { ...granted, spentCents: 0, spendCount: 0, eventsSinceSnapshot: 0 };
      return violations(mandate, attempt, '2026-11-27T09:30:00.000Z');
    });
    for (const { reason, control } of told)
      expect(rows.find((row) => row.startsWith(`| \`${reason}\` |`))).to.include(`\`${control}\``);
    expect(new Set(told.map(({ reason }) => reason))).to.have.property('size', DENIAL_REASONS.length);
  });

  it('have every code with its status, and every setting with its default', () => {
    for (const [code, { status, when }] of Object.entries(REFUSAL_STATUS))
      expect(errorsDocs()).to.include(`| ${status} | \`${code}\` | ${when} |`);
    for (const { name, default: value } of Object.values(limitSettings))
      expect(limitsDocs()).to.include(`| \`${name}\` | ${value} |`);
  });
});
