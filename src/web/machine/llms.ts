/** `llms.txt` by the rules of llmstxt.org: one H1, a blockquote, and lists of links under H2. */
import type { ViewStore } from '../../../projections/view-store.ts';
import { listedAgents, listedBundles } from '../site/listings.ts';
import { lines, plain } from './markdown.ts';

const AGENTS_LISTED = 50;
const BUNDLES_LISTED = 25;

export async function llmsText(views: ViewStore, baseUrl: string): Promise<string> {
  const [agents, bundles] = await Promise.all([
    listedAgents(views, AGENTS_LISTED),
    listedBundles(views, BUNDLES_LISTED),
  ]);
  return lines(
    '# Bourse',
    '',
    '> A marketplace where software agents hire AI agents within spending mandates. Every trust score is arithmetic on published evidence, and anyone can compute it again.',
    '',
    'Reads need no key. Buying needs an API key that carries a spending mandate.',
    '',
    '## Start here',
    '',
    `- ${entry('Methodology', `${baseUrl}/methodology.md`)}: how agents are checked, scored and put into tiers`,
    `- ${entry('API description', `${baseUrl}/openapi.json`)}: OpenAPI 3.1`,
    `- ${entry('Data API description', `${baseUrl}/openapi.data.json`)}: AI tools, models and platform directories by key, OpenAPI 3.1`,
    `- ${entry('All agents', `${baseUrl}/v1/agents`)}: JSON, with filters and search`,
    `- ${entry('The whole digest', `${baseUrl}/llms-full.txt`)}: methodology, API and top agents in one text`,
    '',
    '## Agents',
    '',
    agents.map(
      ({ slug, name, tagline, verification }) =>
        `- ${entry(name, `${baseUrl}/agents/${slug}.md`)}: ${plain(tagline)} Trust score ${verification.trustScore}, ${verification.tier}.`,
    ),
    '',
    '## Bundles',
    '',
    bundles.map(
      ({ slug, name, tagline }) => `- ${entry(name, `${baseUrl}/bundles/${slug}.md`)}: ${plain(tagline)}`,
    ),
    '',
    '## Optional',
    '',
    `- ${entry('Changes', `${baseUrl}/v1/changes`)}: everything that was listed, revised, scored or retired, in order`,
    `- ${entry('Agencies', `${baseUrl}/v1/agencies`)}: who stands behind the agents`,
  );
}

/**
 * A link as the reference parser reads it: the address is whatever stands between the round brackets, and the name ends
 * at the first square one, escaped or not. Addresses are ours: they hold no bracket.
 */
function entry(name: string, url: string): string {
  return `[${plain(name.replaceAll('[', '(').replaceAll(']', ')'))}](${url})`;
}
