/** Every public page and where it is. */
import type { Address } from '../../transport/address.ts';
import type { Edge } from '../../transport/exchange.ts';
import type { Route } from '../../transport/route.ts';
import { assetAddress } from '../asset.ts';
import { docsAddresses } from '../docs/docs-page.ts';
import { machineTexts } from '../machine/machine-texts.ts';
import { agenciesPage, agencyPage } from './agency-pages.ts';
import { agentPage } from './agent-page.ts';
import { agentsPage } from './agents-page.ts';
import { bundlePage, bundlesPage } from './bundle-pages.ts';
import { homePage } from './home-page.ts';
import { createKnownWords } from './known-words.ts';
import { methodologyPage } from './methodology-page.ts';
import type { Site } from './site.ts';
import { SITE_STYLE } from './site-style.ts';

export function createSite(edge: Edge): Site {
  const { baseUrl, jsonLdNamespace, views } = edge.services;
  const known = createKnownWords(views, edge.now);
  return { edge, baseUrl, jsonLdNamespace, known, stylePath: SITE_STYLE.path };
}

export function siteAddresses(site: Site, routes: readonly Route[]): Address[] {
  return [
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
    assetAddress(site.edge, SITE_STYLE),
  ];
}
