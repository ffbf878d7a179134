/**
 * The trust score: arithmetic on published evidence, and nothing else. The same function scores an agent when a fact
 * is recorded and lets anybody recompute the score from the two public documents.
 */
import type { Assessment, Evidence } from '../events/agent-events.ts';
import {
  type AgentScore,
  type CheckResult,
  type ScoredCheck,
  type Tier,
  TIERS,
} from '../events/agent-score.ts';
import type { PublishedMethodology } from '../events/methodology-document.ts';
import type { Check } from '../events/methodology-events.ts';

/** What an assessor found, and when. */
export interface Finding extends Assessment {
  readonly assessedAt: string;
}

/** Of a piece of evidence, what bears on how long it counts. */
export type EvidenceDates = Pick<Evidence, 'issuedAt' | 'expiresAt'>;

export interface ScoringInput {
  readonly methodology: PublishedMethodology;
  readonly autonomyLevel: number;
  /** The latest finding of each check, by the check's id. */
  readonly findings: ReadonlyMap<string, Finding>;
  /** What the findings rest on, by its id. */
  readonly evidence: ReadonlyMap<string, EvidenceDates>;
  /** The moment that the score is for: evidence that has expired by then does not count. */
  readonly at: string;
}

export type Score = Omit<AgentScore, 'agent' | 'reason'>;

/** Fixed by the rule in every version; a methodology states them so that its document stands by itself. */
const CREDIT: Readonly<Record<CheckResult, number>> = {
  pass: 1,
  partial: 0.5,
  fail: 0,
  not_assessed: 0,
  not_applicable: 0,
};

const DAY_MS = 86_400_000;

export function scoreAgent(input: ScoringInput): Score {
  const { methodology } = input;
  const assessed = methodology.checks.map((check) => assess(check, input));
  const applicable = assessed.filter((check) => check.result !== 'not_applicable');
  const earnedPoints = applicable.reduce((sum, check) => sum + check.points, 0);
  const possiblePoints = applicable.reduce((sum, check) => sum + check.weight, 0);
  const trustScore = rounded(earnedPoints, possiblePoints);
  return {
    methodology: { version: methodology.version, digest: methodology.digest },
    autonomyLevel: input.autonomyLevel,
    trustScore,
    earnedPoints,
    possiblePoints,
    tier: tierOf(methodology, trustScore, assessed),
    checks: assessed.map((check) => ({
      ...check,
      scoreIfPassed:
        check.toPass === null ? null : rounded(earnedPoints - check.points + check.weight, possiblePoints),
    })),
    validUntil: earliest(
      assessed.flatMap((check) => (counts(check) ? [check.finding?.validUntil ?? null] : [])),
    ),
  };
}

/** Points are multiples of a half, so the quotient is exact where it ends in .5 and rounds up there. */
function rounded(earnedPoints: number, possiblePoints: number): number {
  return possiblePoints === 0 ? 0 : Math.round((100 * earnedPoints) / possiblePoints);
}

/** The highest tier whose minimum is reached and whose required checks, as far as they apply, all pass. */
function tierOf(
  methodology: PublishedMethodology,
  trustScore: number,
  checks: readonly AssessedCheck[],
): Tier {
  const failing = new Set(
    checks.filter(({ result }) => result !== 'pass' && result !== 'not_applicable').map(({ id }) => id),
  );
  const reached = methodology.tiers
    .filter((tier) => trustScore >= tier.minimumScore && !tier.requiredChecks.some((id) => failing.has(id)))
    .map(({ tier }) => tier);
  return TIERS.findLast((tier) => reached.includes(tier)) ?? TIERS[0];
}

type AssessedCheck = Omit<ScoredCheck, 'scoreIfPassed'>;

function assess(check: Check, input: ScoringInput): AssessedCheck {
  const finding = findingOf(check, input);
  const result = resultOf(check, finding, input);
  return {
    id: check.id,
    title: check.title,
    category: check.category,
    weight: check.weight,
    result,
    points: check.weight * CREDIT[result],
    finding,
    toPass: result === 'pass' || result === 'not_applicable' ? null : toPass(check, finding, input.at),
  };
}

function resultOf(check: Check, finding: ScoredCheck['finding'], input: ScoringInput): CheckResult {
  if (input.autonomyLevel < check.appliesFromAutonomyLevel) return 'not_applicable';
  if (finding === null || hasExpired(finding, input.at)) return 'not_assessed';
  return finding.result;
}

function findingOf(check: Check, { findings, evidence }: ScoringInput): ScoredCheck['finding'] {
  const finding = findings.get(check.id);
  if (finding === undefined) return null;
  const { result, assessedBy, assessedAt, note } = finding;
  const expiries = finding.evidence.map((id) => expiryOf(evidence.get(id), check));
  return {
    result,
    evidence: [...finding.evidence],
    assessedBy,
    assessedAt,
    note,
    validUntil: earliest(expiries),
  };
}

/** When a piece of evidence stops counting for a check: at its own expiry or after the check's validity, whichever is first. */
function expiryOf(evidence: EvidenceDates | undefined, check: Check): string | null {
  if (evidence === undefined)
    throw new Error(`${check.id}: a finding rests on evidence that is not on record`);
  const { issuedAt, expiresAt } = evidence;
  if (check.validityDays === null) return expiresAt ?? null;
  const agesOut = new Date(Date.parse(issuedAt) + check.validityDays * DAY_MS).toISOString();
  return earliest([agesOut, expiresAt ?? null]);
}

function hasExpired(finding: { readonly validUntil: string | null }, at: string): boolean {
  return finding.validUntil !== null && finding.validUntil <= at;
}

/** Only what counts now can still expire. */
function counts(check: AssessedCheck): boolean {
  return check.result === 'pass' || check.result === 'partial' || check.result === 'fail';
}

function toPass(check: Check, finding: ScoredCheck['finding'], at: string): string {
  const kinds = check.evidenceKinds.map((kind) => kind.replaceAll('_', ' ')).join(' or ');
  const age = check.validityDays === null ? '' : `, issued within the last ${check.validityDays} days`;
  const needed = `${check.evidenceRequired} Accepted: ${kinds}${age}.`;
  const isExpired = finding !== null && hasExpired(finding, at);
  return isExpired ? `The evidence expired on ${finding.validUntil?.slice(0, 10)}. ${needed}` : needed;
}

/** Times in RFC 3339 with milliseconds compare as text; null never comes. */
function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (first, time) => (time !== null && (first === null || time < first) ? time : first),
    null,
  );
}
