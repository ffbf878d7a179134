/** One listing: what the agent does, why its score is what it is, and how to hire it. */
import { AUTONOMY_ROLES } from '../../../events/agent-listing.ts';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { retiredAgents } from '../../../projections/retired-agents.ts';
import { type VerificationDocument } from '../../../projections/verification-document.ts';
import { verificationRecords } from '../../../projections/verification-records.ts';
import { getAgent } from '../../operations/directory/get-agent.ts';
import { readView } from '../../operations/read-view.ts';
import { bdi, html, type Html } from '../html.ts';
import { agentJsonLd } from './agent-json-ld.ts';
import { evidenceSection } from './evidence-section.ts';
import { hireSection } from './hire-section.ts';
import type { Site, SitePage } from './site.ts';
import { pageOver, type Shown } from './page-endpoint.ts';
import { day, money, price, spoken } from './words.ts';

export const agentPage = pageOver({
  path: '/agents/{slug}',
  operation: getAgent,
  draw: drawAgent,
  gone: retiredPage,
});

async function drawAgent({ data: agent }: Shown<AgentDocument>, site: Site): Promise<SitePage> {
  const record = await readView<VerificationDocument>(
    site.context.services.views,
    verificationRecords,
    agent.slug,
  );
  return {
    title: agent.name,
    description: agent.tagline,
    canonicalPath: `/agents/${agent.slug}`,
    markdownPath: `/agents/${agent.slug}.md`,
    jsonLd: agentJsonLd(agent, site),
    body: html`<p class="crumbs"><a href="/agents">Agents</a> / ${bdi(agent.name)}</p>
      <h1 dir="auto">${agent.name}</h1>
      <p class="lead" dir="auto">${agent.tagline}</p>
      ${
        agent.suspension === undefined
          ? null
          : html`<p class="notice">
              Suspended since ${day(agent.suspension.since)}: ${bdi(agent.suspension.reason)}
            </p>`
      }
      ${summary(agent)}
      <p class="prose" dir="auto">${agent.description}</p>
      ${facts(agent)} ${record === undefined ? null : evidenceSection(agent, record, site.baseUrl)}
      ${hireSection(agent, site.baseUrl)}`,
  };
}

function summary({ verification, pricing, autonomyLevel, agency, outcomes }: AgentDocument): Html {
  const { trustScore, tier, validUntil } = verification;
  const { jobsCompleted, jobsFailed, completionRate } = outcomes;
  const jobs = jobsCompleted + jobsFailed;
  return html`<dl class="summary">
    <div>
      <dt>Trust score</dt>
      <dd>
        <span class="figure">${trustScore}</span> <span class="small tier tier-${tier}">${tier}</span>
        <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect width="${trustScore}" height="4" />
        </svg>
        ${validUntil === null ? null : html`<span class="small quiet">due again ${day(validUntil)}</span>`}
      </dd>
    </div>
    <div>
      <dt>Trial run</dt>
      <dd>
        ${money(pricing.trialPriceCents)}
        <span class="small quiet">then ${price(pricing)}</span>
      </dd>
    </div>
    <div>
      <dt>Autonomy</dt>
      <dd>
        ${autonomyLevel} of 5
        <span class="small quiet">you are the ${AUTONOMY_ROLES[autonomyLevel - 1] ?? 'observer'}</span>
      </dd>
    </div>
    <div>
      <dt>Agency</dt>
      <dd><a href="/agencies/${agency.slug}">${bdi(agency.name)}</a></dd>
    </div>
    <div>
      <dt>Jobs done here</dt>
      <dd>
        ${jobs === 0 ? 'None yet' : `${jobsCompleted} of ${jobs}`}
        ${
          completionRate.lowerBound95 === null
            ? null
            : html`<span class="small quiet"
                >at least ${Math.round(completionRate.lowerBound95 * 100)} % with 95 % confidence</span
              >`
        }
      </dd>
    </div>
  </dl>`;
}

function facts({ categories, capabilities, integrations, links }: AgentDocument): Html {
  const named = Object.entries({
    Homepage: links.homepage,
    Documentation: links.documentation,
    'MCP endpoint': links.mcp,
    'A2A card': links.a2aCard,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return html`<dl class="filters">
    <dt>Categories</dt>
    <dd>${chips(categories, (slug) => `/agents?category=${slug}`)}</dd>
    <dt>Can do</dt>
    <dd>${chips(capabilities, (slug) => `/agents?capability=${slug}`)}</dd>
    ${
      integrations.length === 0
        ? null
        : html`<dt>Works with</dt>
            <dd>${integrations.map(spoken).join(', ')}</dd>`
    }
    ${
      named.length === 0
        ? null
        : html`<dt>Links</dt>
            <dd>
              <ul class="chips">
                ${named.map(([label, url]) => html`<li><a href="${url}" rel="nofollow noopener">${label}</a></li>`)}
              </ul>
            </dd>`
    }
  </dl>`;
}

function chips(slugs: readonly string[], href: (slug: string) => string): Html {
  return html`<ul class="chips">
    ${slugs.map((slug) => html`<li><a href="${href(slug)}">${spoken(slug)}</a></li>`)}
  </ul>`;
}

/** A retired listing says so in its place, for good. */
async function retiredPage(
  { slug = '' }: Readonly<Record<string, string>>,
  { context }: Site,
): Promise<SitePage | undefined> {
  const retired = await readView(context.services.views, retiredAgents, slug);
  if (retired === undefined) return undefined;
  const { name, agency, retiredAt, reason } = retired;
  return {
    title: `${name} is retired`,
    description: `${name} was retired on ${day(retiredAt)}.`,
    canonicalPath: `/agents/${slug}`,
    noIndex: true,
    body: html`<p class="crumbs"><a href="/agents">Agents</a> / ${bdi(name)}</p>
      <h1>${bdi(name)} is retired</h1>
      <p class="lead">It was taken off the market on ${day(retiredAt)}: ${bdi(reason)}</p>
      <p>
        Its history stays in the <a href="/v1/changes?limit=100">change feed</a>. See what else
        <a href="/agencies/${agency}">its agency</a> offers.
      </p>`,
  };
}
