/** What the service answers to, and where: the REST API, MCP, pages and files for machines. */
import { apiAddresses, descriptionAddresses } from '../http/addresses.ts';
import { mcpAddresses } from '../mcp/addresses.ts';
import { registryEntry, serverCard } from '../mcp/server-card.ts';
import type { Address } from '../transport/address.ts';
import type { Edge } from '../transport/exchange.ts';
import type { Route } from '../transport/route.ts';
import { assetAddress } from '../web/asset.ts';
import { checkoutAddresses } from '../web/checkout/checkout.ts';
import { docsAddresses } from '../web/docs/docs-page.ts';
import { machineAddresses } from '../web/machine/machine-address.ts';
import { machineTexts } from '../web/machine/machine-texts.ts';
import { SERVER_CARD_TYPE } from '../web/machine/well-known.ts';
import { agenciesPage, agencyPage } from '../web/site/agency-pages.ts';
import { agentPage } from '../web/site/agent-page.ts';
import { agentsPage } from '../web/site/agents-page.ts';
import { bundlePage, bundlesPage } from '../web/site/bundle-pages.ts';
import { homePage } from '../web/site/home-page.ts';
import { createKnownWords } from '../web/site/known-words.ts';
import { methodologyPage } from '../web/site/methodology-page.ts';
import type { Site } from '../web/site/site.ts';
import { SITE_STYLE } from '../web/site/site-style.ts';

export function createSite(edge: Edge): Site {
  const { baseUrl, jsonLdNamespace, views } = edge.services;
  const known = createKnownWords(views, edge.now);
  return { edge, baseUrl, jsonLdNamespace, known, stylePath: SITE_STYLE.path };
}

/** The first that fits a request answers it. */
export function endpointsOf(routes: readonly Route[], site: Site): readonly Address[] {
  const { edge } = site;
  return [
    ...apiAddresses(routes, edge),
    ...descriptionAddresses(routes, edge),
    ...checkoutAddresses(edge),
    ...mcpAddresses(edge),
    ...serverCardAddresses(site),
    // Before the pages: `/agents/{slug}.md` is the twin of a listing, not a listing of that name.
    ...machineTexts(site),
    homePage(site),
    agentsPage(site),
    agentPage(site),
    agenciesPage(site),
    agencyPage(site),
    bundlesPage(site),
    bundlePage(site),
    methodologyPage(site),
    ...docsAddresses(site, routes),
    assetAddress(edge, SITE_STYLE),
  ];
}

function serverCardAddresses({ edge, baseUrl }: Site): Address[] {
  return [
    // The first is where MCP reserves it, the second where scanners of sites look.
    ...machineAddresses(edge, ['/mcp/server-card', '/.well-known/mcp/server-card.json'], {
      name: 'getServerCard',
      contentType: SERVER_CARD_TYPE,
      make: () => serverCard(baseUrl),
    }),
    ...machineAddresses(edge, ['/server.json'], {
      name: 'getRegistryEntry',
      contentType: 'application/json; charset=utf-8',
      make: () => registryEntry(baseUrl),
    }),
  ];
}
