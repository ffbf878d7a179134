/** The sitemap (sitemaps.org) and robots.txt. */
import type { ViewStore } from '../../../projections/view-store.ts';
import { type Html, xml } from '../html.ts';
import { listedAgencies, listedAgents, listedBundles } from '../site/listings.ts';

/** The protocol allows 50,000 addresses in one file; these three lists share them. */
const MOST_OF_EACH = 16_000;

export async function sitemapXml(views: ViewStore, baseUrl: string): Promise<string> {
  const [agents, agencies, bundles] = await Promise.all([
    listedAgents(views, MOST_OF_EACH, 'name'),
    listedAgencies(views, MOST_OF_EACH),
    listedBundles(views, MOST_OF_EACH),
  ]);
  const fixed = ['/', '/agents', '/agencies', '/bundles', '/methodology', '/docs'].map((path) =>
    entry(baseUrl + path),
  );
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${fixed}${agents.map(({ slug, updatedAt }) => entry(`${baseUrl}/agents/${slug}`, updatedAt))}${agencies.map(
    ({ slug, updatedAt }) => entry(`${baseUrl}/agencies/${slug}`, updatedAt),
  )}${bundles.map(({ slug, publishedAt }) => entry(`${baseUrl}/bundles/${slug}`, publishedAt))}</urlset>
`.text;
}

function entry(url: string, changedAt?: string): Html {
  const changed = changedAt === undefined ? null : xml`<lastmod>${changedAt}</lastmod>`;
  return xml`<url><loc>${url}</loc>${changed}</url>\n`;
}

export function robotsText(baseUrl: string): string {
  return `User-agent: *\nDisallow: /checkout/\nDisallow: /artifacts/\nDisallow: /webhooks/\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
}
