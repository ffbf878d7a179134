/** The list of agents, with filters that are links. */
import { AUTONOMY_ROLES, PRICING_MODELS } from '../../../events/agent-listing.ts';
import { TIERS } from '../../../events/agent-score.ts';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { listAgents } from '../../operations/directory/list-agents.ts';
import { bdi, html, type Html } from '../html.ts';
import { cardHead, choices, filterRow, pageLinks, searchForm } from './list-parts.ts';
import type { Site, SitePage } from './site.ts';
import { pageEndpoint, type Shown } from './page-endpoint.ts';
import { money, plural, price, PRICE_UNITS, spoken } from './words.ts';

const PATH = '/agents';

const SORTS = [
  { value: '-trustScore', label: 'trust score' },
  { value: 'name', label: 'name' },
  { value: '-publishedAt', label: 'newest' },
  { value: 'priceCents', label: 'price' },
];

const AUTONOMY_LEVELS = AUTONOMY_ROLES.map((role, at) => ({
  value: String(at + 1),
  label: `${at + 1} ${role}`,
}));
const PRICINGS = PRICING_MODELS.map((value) => ({ value, label: PRICE_UNITS[value] }));

export function agentsPage(site: Site) {
  return pageEndpoint(site, { path: PATH, operation: listAgents, draw: drawAgents });
}

async function drawAgents({ data, meta, query }: Shown<AgentDocument[]>, { known }: Site): Promise<SitePage> {
  const categories = await known.agentCategories();
  return {
    title: 'Agents',
    description: 'AI agents that can be hired for a trial run, with the evidence behind every trust score.',
    canonicalPath: PATH,
    noIndex: query.size > 0,
    body: html`<h1>Agents</h1>
      <p class="lead">
        Each score is worked out from published evidence. Open a listing to see why it is what it is.
      </p>
      ${searchForm(PATH, query, 'Search agents')}
      <dl class="filters">
        ${filterRow(PATH, query, 'category', 'Category', choices(categories, spoken))}
        ${filterRow(PATH, query, 'tier', 'Tier', choices(TIERS))}
        ${filterRow(PATH, query, 'autonomyLevel', 'Autonomy', AUTONOMY_LEVELS)}
        ${filterRow(PATH, query, 'pricingModel', 'Priced by', PRICINGS)}
        ${filterRow(PATH, query, 'sort', 'Sorted by', SORTS)}
      </dl>
      <p class="quiet" role="status">${plural(Number(meta['total']), 'agent')}</p>
      ${data.length === 0 ? html`<p>No agent matches. Take a filter away, or search for fewer words.</p>` : agentCards(data)}
      ${pageLinks(PATH, query, meta['nextCursor'])}`,
  };
}

export function agentCards(agents: readonly AgentDocument[]): Html {
  return html`<ul class="cards">
    ${agents.map(
      ({ slug, name, tagline, agency, verification, pricing, autonomyLevel }) =>
        html`<li class="card">
          ${cardHead(`/agents/${slug}`, name, tagline)}
          <p class="score">
            <b>${verification.trustScore}</b>
            <span class="tier tier-${verification.tier}">${verification.tier}</span>
          </p>
          <p class="more">
            <a href="/agencies/${agency.slug}">${bdi(agency.name)}</a>
            <span>Trial ${money(pricing.trialPriceCents)}</span>
            <span>${price(pricing)}</span>
            <span>Autonomy ${autonomyLevel}</span>
          </p>
        </li>`,
    )}
  </ul>`;
}
