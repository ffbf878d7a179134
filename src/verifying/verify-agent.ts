/**
 * Recomputes an agent's score, tier and digests from the two public documents alone. Nothing here trusts the instance
 * that served them: the rule is applied again, by the same function that scores agents.
 */
import { type Finding, scoreAgent } from '../../commands/scoring.ts';
import type { Evidence } from '../../events/agent-events.ts';
import { canonicalJson } from '../../events/canonical-json.ts';
import { digestOf } from '../../events/methodology-document.ts';
import { methodologyDocument, type MethodologyDocument } from '../../projections/methodology-document.ts';
import { verificationDocument, type VerificationDocument } from '../../projections/verification-document.ts';

/** One thing that was recomputed. */
export interface Comparison {
  /** Such as `trustScore`, or `checks.penetration-test.result`. */
  readonly what: string;
  readonly published: unknown;
  readonly computed: unknown;
  readonly agrees: boolean;
}

export interface AgentVerdict {
  readonly agent: string;
  readonly methodologyVersion: string;
  readonly scoredAt: string;
  readonly trustScore: number;
  readonly tier: string;
  readonly comparisons: readonly Comparison[];
  readonly agrees: boolean;
  /** Evidence has expired since the score was computed: it is due to be computed anew. */
  readonly isOverdue: boolean;
}

/** @throws {z.ZodError} one of the documents is not what its reference says */
export function verifyAgent(record: unknown, methodology: unknown, now: string): AgentVerdict {
  const published = verificationDocument.parse(record);
  const rules = methodologyDocument.parse(methodology);
  const comparisons = [
    // Digests are taken of what was served, not of what parsing made of it.
    compare('digest', published.digest, digestOf(Object(record))),
    compare('methodology.digest', rules.digest, digestOf(Object(methodology))),
    compare('methodology', published.methodology, { version: rules.version, digest: rules.digest }),
    ...scoreComparisons(published, rules),
  ];
  return {
    agent: published.agent,
    methodologyVersion: rules.version,
    scoredAt: published.scoredAt,
    trustScore: published.trustScore,
    tier: published.tier,
    comparisons,
    agrees: comparisons.every(({ agrees }) => agrees),
    isOverdue: published.validUntil !== null && published.validUntil <= now,
  };
}

function scoreComparisons(record: VerificationDocument, rules: MethodologyDocument): Comparison[] {
  const score = scoreAgent({
    methodology: rules,
    autonomyLevel: record.autonomyLevel,
    findings: findingsOf(record),
    evidence: evidenceOf(record),
    at: record.scoredAt,
  });
  const totals = (['trustScore', 'tier', 'earnedPoints', 'possiblePoints', 'validUntil'] as const).map(
    (what) => compare(what, record[what], score[what]),
  );
  const ids = compare('checks', idsOf(record.checks), idsOf(score.checks));
  const checks = score.checks.flatMap((computed) => {
    const published = record.checks.find(({ id }) => id === computed.id);
    return (['weight', 'result', 'points', 'toPass', 'scoreIfPassed'] as const).map((what) =>
      compare(`checks.${computed.id}.${what}`, published?.[what] ?? null, computed[what]),
    );
  });
  return [...totals, ids, ...checks];
}

function findingsOf({ checks }: VerificationDocument): ReadonlyMap<string, Finding> {
  return new Map(
    checks.flatMap(({ id, finding, evidence }): [string, Finding][] =>
      finding === null ? [] : [[id, { ...finding, check: id, evidence: evidence.map((piece) => piece.id) }]],
    ),
  );
}

function evidenceOf({ checks }: VerificationDocument): ReadonlyMap<string, Evidence> {
  return new Map(
    checks.flatMap(({ evidence }) => evidence.map((piece): [string, Evidence] => [piece.id, piece])),
  );
}

function idsOf(checks: readonly { readonly id: string }[]): readonly string[] {
  return checks.map(({ id }) => id);
}

function compare(what: string, published: unknown, computed: unknown): Comparison {
  return { what, published, computed, agrees: canonicalJson(published) === canonicalJson(computed) };
}
