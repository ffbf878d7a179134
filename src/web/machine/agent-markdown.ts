/** A listing in Markdown, for models: the alternate of its page. */
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { RetiredAgentDocument } from '../../../projections/retired-agents.ts';
import type { VerificationDocument } from '../../../projections/verification-document.ts';
import { day, money, price, RESULTS, spoken } from '../site/words.ts';
import { lines, link, paragraphs, plain } from './markdown.ts';

export function agentMarkdown(
  agent: AgentDocument,
  record: VerificationDocument | undefined,
  baseUrl: string,
): string {
  const { slug, name, tagline, description, agency, verification, pricing, autonomyLevel, suspension } =
    agent;
  const { trustScore, tier, methodologyVersion } = verification;
  return lines(
    `# ${plain(name)}`,
    '',
    `> ${plain(tagline)}`,
    '',
    suspension === undefined
      ? null
      : `**Suspended since ${day(suspension.since)}: ${plain(suspension.reason)}**\n`,
    paragraphs(description),
    `- Trust score: ${trustScore} (${tier}), by ${link(`methodology ${methodologyVersion ?? 'none yet'}`, `${baseUrl}/methodology.md`)}`,
    `- Agency: ${link(agency.name, `${baseUrl}/agencies/${agency.slug}`)}`,
    `- Trial run: ${money(pricing.trialPriceCents)}; then ${price(pricing)}`,
    `- Autonomy level: ${autonomyLevel} of 5`,
    `- Can do: ${agent.capabilities.map(spoken).join(', ')}`,
    `- Page: <${baseUrl}/agents/${slug}>`,
    `- As JSON: <${baseUrl}/v1/agents/${slug}>, with the evidence at <${baseUrl}/v1/agents/${slug}/verification>`,
    '',
    record === undefined ? null : evidence(record),
    '## Hire it',
    '',
    `\`POST ${baseUrl}/v1/trials\` with an API key and \`{"agent":"${slug}","brief":"…"}\`, or call the tool \`create_trial_run\` of the MCP server at \`${baseUrl}/mcp\`.`,
  );
}

/** What stands in the place of a listing that ended. */
export function retiredMarkdown({ name, agency, retiredAt, reason }: RetiredAgentDocument): string {
  return lines(
    `# ${plain(name)} is retired`,
    '',
    `> Taken off the market on ${day(retiredAt)}: ${plain(reason)}`,
    '',
    `It was offered by the agency ${agency}. Nothing can be ordered of it any more.`,
  );
}

function evidence({ checks, earnedPoints, possiblePoints, trustScore }: VerificationDocument): string[] {
  const applying = checks.filter(({ result }) => result !== 'not_applicable');
  return [
    `## Why ${trustScore}`,
    '',
    `${earnedPoints} of ${possiblePoints} points.`,
    '',
    '| Check | Result | Points |',
    '|---|---|---|',
    ...applying.map(
      ({ title, result, points, weight }) =>
        `| ${plain(title)} | ${RESULTS[result]} | ${points} / ${weight} |`,
    ),
    '',
    ...applying.flatMap(({ title, toPass, scoreIfPassed }) =>
      toPass === null
        ? []
        : [
            `- To pass “${plain(title)}”: ${plain(toPass)}${scoreIfPassed === null ? '' : ` Score then: ${scoreIfPassed}.`}`,
          ],
    ),
    '',
  ];
}
