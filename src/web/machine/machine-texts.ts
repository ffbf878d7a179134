/** Every file for machines and where it is. */
import type { MethodologyDocument } from '../../../projections/methodology-document.ts';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { BundleDocument } from '../../../projections/bundle-document.ts';
import { verificationRecords } from '../../../projections/verification-records.ts';
import type { Address } from '../../http/address.ts';
import type { Edge } from '../../http/exchange.ts';
import { REFUSAL_STATUS } from '../../http/refusal-status.ts';
import { getAgent } from '../../operations/directory/get-agent.ts';
import { getBundle } from '../../operations/directory/get-bundle.ts';
import { getMethodology } from '../../operations/directory/get-methodology.ts';
import { readView } from '../../operations/read-view.ts';
import { MARKDOWN_HEADERS, textAddress, type TextOver } from '../site/site-address.ts';
import type { Site } from '../site/site.ts';
import { agentMarkdown } from './agent-markdown.ts';
import { bundleMarkdown } from './bundle-markdown.ts';
import { feedXml } from './feed.ts';
import { llmsText } from './llms.ts';
import { machineAddresses } from './machine-address.ts';
import { methodologyMarkdown } from './methodology-markdown.ts';
import { robotsText, sitemapXml } from './sitemap.ts';
import { aiCatalog, securityText } from './well-known.ts';

const PLAIN = 'text/plain; charset=utf-8';
const XML = 'application/xml; charset=utf-8';
const ATOM = 'application/atom+xml; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export function machineTexts(site: Site): Address[] {
  const { edge, baseUrl } = site;
  const { views, digest, securityContact } = edge.services;
  const at = (
    paths: readonly string[],
    name: string,
    contentType: string,
    make: () => string | Promise<string>,
  ) => machineAddresses(edge, paths, { name, contentType, make });
  return [
    ...at(['/llms.txt', '/agents/llms.txt', '/ai-agents/llms.txt'], 'getLlms', PLAIN, () =>
      llmsText(views, baseUrl),
    ),
    ...at(['/llms-full.txt', '/agents/llms-full.txt'], 'getLlmsFull', PLAIN, digest.current),
    ...at(['/sitemap.xml'], 'getSitemap', XML, () => sitemapXml(views, baseUrl)),
    ...at(['/robots.txt'], 'getRobots', PLAIN, () => robotsText(baseUrl)),
    ...at(['/feed.atom'], 'getFeed', ATOM, () => feedXml(views, baseUrl)),
    ...at(['/.well-known/ai-catalog.json'], 'getAiCatalog', JSON_TYPE, () => aiCatalog(baseUrl)),
    ...at(['/.well-known/security.txt'], 'getSecurity', PLAIN, () =>
      securityText(baseUrl, securityContact, edge.now()),
    ),
    ...twins(site),
  ];
}

/** The Markdown twins of the listing pages. */
function twins(site: Site): Address[] {
  const { edge, baseUrl } = site;
  const twin = <Data>(draw: TextOver<Data>['draw']): TextOver<Data> => ({ draw, refuse: plainRefusal });
  return [
    textAddress(
      site,
      '/agents/{slug}.md',
      getAgent,
      MARKDOWN_HEADERS,
      twin<AgentDocument>(async ({ data }) => agentMarkdown(data, await recordOf(edge, data.slug), baseUrl)),
    ),
    textAddress(
      site,
      '/bundles/{slug}.md',
      getBundle,
      MARKDOWN_HEADERS,
      twin<BundleDocument>(({ data }) => bundleMarkdown(data, baseUrl)),
    ),
    textAddress(
      site,
      '/methodology.md',
      getMethodology,
      MARKDOWN_HEADERS,
      twin<MethodologyDocument>(({ data }) => methodologyMarkdown(data)),
    ),
  ];
}

function recordOf({ services }: Edge, slug: string) {
  return readView(services.views, verificationRecords, slug);
}

const plainRefusal: TextOver<unknown>['refuse'] = ({ code, message }) =>
  Promise.resolve({ status: REFUSAL_STATUS[code].status, text: `${message}\n` });
