/** The list of agents, with filters that are links. */
import { AUTONOMY_ROLES, PRICING_MODELS } from '../../../events/agent-listing.ts';
import { TIERS } from '../../../events/agent-score.ts';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { listAgents } from '../../operations/directory/list-agents.ts';
import { bdi, html, type Html } from '../html.ts';
import { cardHead, choices, listPage } from './list-parts.ts';
import type { Site, SitePage } from './site.ts';
import { pageOver, type Shown } from './page-endpoint.ts';
import { money, price, PRICE_UNITS, spoken } from './words.ts';

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

export const agentsPage = pageOver({ path: PATH, operation: listAgents, draw: drawAgents });

async function drawAgents(shown: Shown<AgentDocument[]>, { known }: Site): Promise<SitePage> {
  const categories = choices(await known.agentCategories(), spoken);
  return listPage(shown, {
    path: PATH,
    title: 'Agents',
    description: 'AI agents that can be hired for a trial run, with the evidence behind every trust score.',
    lead: 'Each score is worked out from published evidence. Open a listing to see why it is what it is.',
    filters: [
      { name: 'category', title: 'Category', choices: categories },
      { name: 'tier', title: 'Tier', choices: choices(TIERS) },
      { name: 'autonomyLevel', title: 'Autonomy', choices: AUTONOMY_LEVELS },
      { name: 'pricingModel', title: 'Priced by', choices: PRICINGS },
      { name: 'sort', title: 'Sorted by', choices: SORTS },
    ],
    noun: ['agent'],
    cards: agentCards(shown.data),
  });
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
