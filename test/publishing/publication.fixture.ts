/** What the publications of these tests have in common. */

/** An entry of `agents:`, from the end of that line on; another may follow, or more fields of this one. */
export const AN_AGENT = `
  - slug: invoice-matcher
    name: Invoice Matcher
    agency: ledgerworks
    tagline: Matches invoices.
    description: Matches invoices to bank lines.
    categories: [finance]
    capabilities: [invoice-matching]
    autonomyLevel: 3
    pricing: { model: per_task, amountCents: 4900, trialPriceCents: 1900, currency: usd }
    evidence:
      - id: doc
        kind: policy
        title: A document
        sha256: ${'a'.repeat(64)}
        issuedBy: Ledgerworks
        issuedAt: 2025-12-31
`;

/** The entry of `bundles:`, from the end of that line on, but for its folder, which is to follow. */
export const A_BUNDLE = `
  - slug: month-end-close
    version: 1.0.0
    name: Month-end close
    agency: ledgerworks
    tagline: Closes a month.
    description: Skills.
    categories: [finance]
    skills: [{ name: accrual-review, description: Finds accruals. }]
    licence: Apache-2.0
`;
