/** The agencies: their list, and each with what it offers. */
import type { AgencyDocument } from '../../../projections/agencies.ts';
import { agentDirectory } from '../../../projections/agent-directory.ts';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import { bundles } from '../../../projections/bundles.ts';
import type { BundleSummary } from '../../../projections/bundle-document.ts';
import { getAgency } from '../../operations/directory/get-agency.ts';
import { listAgencies } from '../../operations/directory/list-agencies.ts';
import { readView } from '../../operations/read-view.ts';
import { bdi, html } from '../html.ts';
import { agentCards } from './agents-page.ts';
import { bundleCards } from './bundle-pages.ts';
import { cardHead, choices, listPage } from './list-parts.ts';
import type { Site, SitePage } from './site.ts';
import { pageOver, type Shown } from './page-endpoint.ts';
import { day, plural } from './words.ts';

const PATH = '/agencies';

const LINK_LABELS: Readonly<Record<string, string>> = {
  homepage: 'Homepage',
  support: 'Support',
  status: 'Status',
};

export const agenciesPage = pageOver({ path: PATH, operation: listAgencies, draw: drawAgencies });
export const agencyPage = pageOver({ path: `${PATH}/{slug}`, operation: getAgency, draw: drawAgency });

async function drawAgencies(shown: Shown<AgencyDocument[]>, { known }: Site): Promise<SitePage> {
  return listPage(shown, {
    path: PATH,
    title: 'Agencies',
    description: 'The agencies whose agents and bundles are listed here.',
    lead: 'Who stands behind the agents.',
    filters: [{ name: 'country', title: 'Country', choices: choices(await known.countries()) }],
    noun: ['agency', 'agencies'],
    cards: html`<ul class="cards">
      ${shown.data.map(
        ({ slug, name, tagline, country, agents }) =>
          html`<li class="card">
            ${cardHead(`/agencies/${slug}`, name, tagline)}
            <p class="more"><span>${country}</span><span>${plural(agents.length, 'agent')}</span></p>
          </li>`,
      )}
    </ul>`,
  });
}

async function drawAgency({ data: agency }: Shown<AgencyDocument>, { context }: Site): Promise<SitePage> {
  const { slug, name, tagline, description, legalName, country, foundedYear, links, registeredAt } = agency;
  const { views } = context.services;
  const agents = await Promise.all(agency.agents.map((one) => readView(views, agentDirectory, one)));
  const offered = await Promise.all(agency.bundles.map((one) => readView(views, bundles, one)));
  return {
    title: name,
    description: tagline,
    canonicalPath: `${PATH}/${slug}`,
    body: html`<p class="crumbs"><a href="/agencies">Agencies</a> / ${bdi(name)}</p>
      <h1 dir="auto">${name}</h1>
      <p class="lead" dir="auto">${tagline}</p>
      <p class="prose" dir="auto">${description}</p>
      <dl class="filters">
        <dt>Legal name</dt>
        <dd>
          ${bdi(legalName)}, ${country}${foundedYear === undefined ? null : html`, since ${foundedYear}`}
        </dd>
        <dt>Registered here</dt>
        <dd>${day(registeredAt)}</dd>
        ${Object.entries(links).map(([label, url]) =>
          typeof url === 'string'
            ? html`<dt>${LINK_LABELS[label] ?? label}</dt>
                <dd><a href="${url}" rel="nofollow noopener">${url}</a></dd>`
            : html``,
        )}
      </dl>
      ${
        agents.length === 0
          ? null
          : html`<h2>Agents</h2>
              ${agentCards(agents.filter((one): one is AgentDocument => one !== undefined))}`
      }
      ${
        offered.length === 0
          ? null
          : html`<h2>Bundles</h2>
              ${bundleCards(offered.filter((one): one is BundleSummary => one !== undefined))}`
      }`,
  };
}
