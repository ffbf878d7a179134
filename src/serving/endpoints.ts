/** What the service answers to, and where: the REST API, MCP, pages and files for machines. */
import { apiEndpoints, descriptionEndpoints } from '../http/endpoints.ts';
import { mcpEndpoints } from '../mcp/endpoints.ts';
import { registryEntry, serverCard } from '../mcp/server-card.ts';
import type { Endpoint } from '../transport/endpoint.ts';
import type { HttpContext } from '../transport/exchange.ts';
import type { Route } from '../transport/route.ts';
import { assetEndpoint } from '../web/asset.ts';
import { checkoutEndpoints } from '../web/checkout/checkout.ts';
import { docsEndpoints } from '../web/docs/docs-page.ts';
import { machineEndpoints } from '../web/machine/machine-endpoint.ts';
import { machineTexts } from '../web/machine/machine-texts.ts';
import { SERVER_CARD_TYPE } from '../web/machine/well-known.ts';
import { agenciesPage, agencyPage } from '../web/site/agency-pages.ts';
import { agentPage } from '../web/site/agent-page.ts';
import { agentsPage } from '../web/site/agents-page.ts';
import { bundlePage, bundlesPage } from '../web/site/bundle-pages.ts';
import { homePage } from '../web/site/home-page.ts';
import { createKnownWords } from '../web/site/known-words.ts';
import { SITE_STYLE } from '../web/site/layout.ts';
import { methodologyPage } from '../web/site/methodology-page.ts';
import type { Site } from '../web/site/site.ts';

export function createSite(context: HttpContext): Site {
  const { baseUrl, jsonLdNamespace, views } = context.services;
  const known = createKnownWords(views, context.now);
  return { context, baseUrl, jsonLdNamespace, known };
}

/** The first that fits a request answers it. */
export function endpointsOf(routes: readonly Route[], site: Site): readonly Endpoint[] {
  const { context } = site;
  return [
    ...apiEndpoints(routes, context),
    ...descriptionEndpoints(routes, context),
    ...checkoutEndpoints(context),
    ...mcpEndpoints(context),
    ...serverCardEndpoints(site),
    // Before the pages: `/agents/{slug}.md` is the Markdown alternate of a listing, not a listing of that name.
    ...machineTexts(site),
    homePage(site),
    agentsPage(site),
    agentPage(site),
    agenciesPage(site),
    agencyPage(site),
    bundlesPage(site),
    bundlePage(site),
    methodologyPage(site),
    ...docsEndpoints(site, routes),
    assetEndpoint(context, SITE_STYLE),
  ];
}

const JSON_TYPE = 'application/json; charset=utf-8';

function serverCardEndpoints({ context, baseUrl }: Site): Endpoint[] {
  return [
    // The first is where MCP reserves it, the second where scanners of sites look.
    ...machineEndpoints(
      context,
      ['/mcp/server-card', '/.well-known/mcp/server-card.json'],
      'getServerCard',
      SERVER_CARD_TYPE,
      () => serverCard(baseUrl),
    ),
    ...machineEndpoints(context, ['/server.json'], 'getRegistryEntry', JSON_TYPE, () =>
      registryEntry(baseUrl),
    ),
  ];
}
