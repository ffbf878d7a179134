/** The methodology in Markdown, for models: the alternate of its page. */
import type { MethodologyDocument } from '../../../projections/methodology-document.ts';
import { spoken } from '../site/words.ts';
import { lines, plain } from './markdown.ts';

/** `depth` is the level of its first heading, since it also stands inside the digest. */
export function methodologyMarkdown(methodology: MethodologyDocument, depth = 1): string {
  const heading = (level: number, text: string): string => `${'#'.repeat(depth + level)} ${text}`;
  const { title, version, introduction, scoring, tiers, checks, autonomyLevels, digest } = methodology;
  return lines(
    heading(0, plain(title)),
    '',
    plain(introduction),
    '',
    `Version ${plain(version)}, digest ${digest}.`,
    '',
    heading(1, 'Score'),
    '',
    `${plain(scoring.rule)} ${plain(scoring.expiry)}`,
    '',
    heading(1, 'Tiers'),
    '',
    tiers.map(({ tier, minimumScore, requiredChecks, description }) => {
      const required =
        requiredChecks.length === 0
          ? 'no required checks'
          : `requires ${requiredChecks.map(spoken).join(', ')}`;
      return `- ${tier}: from ${minimumScore}, ${required}. ${plain(description)}`;
    }),
    '',
    heading(1, 'Checks'),
    '',
    checks.map(
      ({ title: check, weight, evidenceRequired, assessment, validityDays }) =>
        `- ${plain(check)} (weight ${weight}): ${plain(evidenceRequired)} ${plain(assessment)}` +
        (validityDays === null ? '' : ` Counts for ${validityDays} days.`),
    ),
    '',
    heading(1, 'Autonomy levels'),
    '',
    autonomyLevels.map(({ level, userRole, description }) => `- ${level} ${userRole}: ${plain(description)}`),
  );
}
