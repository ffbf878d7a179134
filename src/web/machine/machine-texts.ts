/** Every file for machines and where it is. */
import { retiredAgents } from '../../../projections/retired-agents.ts';
import { verificationRecords } from '../../../projections/verification-records.ts';
import type { Endpoint } from '../../transport/endpoint.ts';
import { getAgent } from '../../operations/directory/get-agent.ts';
import { getBundle } from '../../operations/directory/get-bundle.ts';
import { getMethodology } from '../../operations/directory/get-methodology.ts';
import { readView } from '../../operations/read-view.ts';
import { markdownEndpoint } from '../site/page-endpoint.ts';
import type { Site } from '../site/site.ts';
import { agentMarkdown, retiredMarkdown } from './agent-markdown.ts';
import { bundleMarkdown } from './bundle-markdown.ts';
import { feedXml } from './feed.ts';
import { llmsText } from './llms.ts';
import { machineEndpoints } from './machine-endpoint.ts';
import { methodologyMarkdown } from './methodology-markdown.ts';
import { robotsText, sitemapXml } from './sitemap.ts';
import { aiCatalog, securityText } from './well-known.ts';

const PLAIN = 'text/plain; charset=utf-8';
const XML = 'application/xml; charset=utf-8';
const ATOM = 'application/atom+xml; charset=utf-8';
const CATALOG = 'application/ai-catalog+json';

export function machineTexts(site: Site): Endpoint[] {
  const { context, baseUrl } = site;
  const { views, digest, securityContact } = context.services;
  const at = machineEndpoints.bind(undefined, context);
  return [
    ...at(['/llms.txt', '/agents/llms.txt', '/ai-agents/llms.txt'], 'getLlms', PLAIN, () =>
      llmsText(views, baseUrl),
    ),
    ...at(['/llms-full.txt', '/agents/llms-full.txt'], 'getLlmsFull', PLAIN, digest.current),
    ...at(['/sitemap.xml'], 'getSitemap', XML, () => sitemapXml(views, baseUrl)),
    ...at(['/robots.txt'], 'getRobots', PLAIN, () => robotsText(baseUrl)),
    ...at(['/feed.atom'], 'getFeed', ATOM, () => feedXml(views, baseUrl)),
    ...at(['/.well-known/ai-catalog.json'], 'getAiCatalog', CATALOG, () => aiCatalog(baseUrl)),
    ...at(['/.well-known/security.txt'], 'getSecurity', PLAIN, () =>
      securityText(baseUrl, securityContact, context.now()),
    ),
    ...markdownAlternates(site),
  ];
}

/** The Markdown alternates of the listing pages. */
function markdownAlternates(site: Site): Endpoint[] {
  const { views } = site.context.services;
  return [
    markdownEndpoint(site, {
      path: '/agents/{slug}.md',
      operation: getAgent,
      draw: async ({ data }, { baseUrl }) =>
        agentMarkdown(data, await readView(views, verificationRecords, data.slug), baseUrl),
      async gone({ slug = '' }) {
        const retired = await readView(views, retiredAgents, slug);
        return retired && retiredMarkdown(retired);
      },
    }),
    markdownEndpoint(site, {
      path: '/bundles/{slug}.md',
      operation: getBundle,
      draw: ({ data }, { baseUrl }) => bundleMarkdown(data, baseUrl),
    }),
    markdownEndpoint(site, {
      path: '/methodology.md',
      operation: getMethodology,
      draw: ({ data }) => methodologyMarkdown(data),
    }),
  ];
}
