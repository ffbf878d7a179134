/** `llms-full.txt`: methodology, API and top agents in one text, made now and then and not for each reader. */
import { CURRENT_METHODOLOGY, methodologies } from '../../../projections/methodologies.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import type { Route } from '../../transport/route.ts';
import { readView } from '../../operations/read-view.ts';
import { price } from '../site/words.ts';
import { listedAgents } from '../site/listings.ts';
import { lines, paragraphs, plain } from './markdown.ts';
import { methodologyMarkdown } from './methodology-markdown.ts';

const AGENTS_LISTED = 50;

export async function llmsFullText(
  views: ViewStore,
  baseUrl: string,
  routes: readonly Route[],
  at: string,
): Promise<string> {
  const methodology = await readView(views, methodologies, CURRENT_METHODOLOGY);
  const agents = await listedAgents(views, AGENTS_LISTED);
  return lines(
    '# Bourse: the whole digest',
    '',
    `> Made at ${at}, and again every six hours. Listings and scores may have changed since: <${baseUrl}/v1/changes> tells.`,
    '',
    methodology === undefined ? null : methodologyMarkdown(methodology, 2),
    '## API',
    '',
    `Base \`${baseUrl}\`. Every answer is \`{"data", "meta", "error"}\`. Keys are sent as \`Authorization: Bearer\`. MCP over streamable HTTP: \`${baseUrl}/mcp\`.`,
    '',
    routes.map(({ method, path, operation }) => {
      return `- \`${method} ${path}\` (${accessOf(operation.scope)}): ${plain(operation.summary)}`;
    }),
    '',
    `## Top ${agents.length} agents by trust score`,
    '',
    agents.flatMap(({ slug, name, tagline, description, agency, verification, pricing, capabilities }) => [
      `### ${plain(name)}`,
      '',
      plain(tagline),
      '',
      ...paragraphs(description),
      `Trust score ${verification.trustScore}, ${verification.tier}. By ${plain(agency.name)}. ${price(pricing)}. Can do: ${capabilities.join(', ')}. <${baseUrl}/agents/${slug}.md>`,
      '',
    ]),
  );
}

function accessOf(scope: Route['operation']['scope']): string {
  if (scope === null) return 'public';
  return scope === 'any_key' ? 'any key' : `scope ${scope}`;
}
