/** The newly verified agents as an Atom feed (RFC 4287). */
import type { ViewStore } from '../../../projections/view-store.ts';
import { xml } from '../html.ts';
import { listedAgents } from '../site/listings.ts';

const LOOKED_AT = 2_000;
const SHOWN = 30;

export async function feedXml(views: ViewStore, baseUrl: string): Promise<string> {
  const agents = await listedAgents(views, LOOKED_AT);
  const verified = agents
    .flatMap((agent) => {
      const { verifiedAt, tier } = agent.verification;
      return verifiedAt === null || tier === 'unverified' ? [] : [{ ...agent, verifiedAt }];
    })
    .sort((a, b) => (a.verifiedAt < b.verifiedAt ? 1 : -1))
    .slice(0, SHOWN);
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Bourse: newly verified agents</title>
  <id>${baseUrl}/feed.atom</id>
  <link rel="self" href="${baseUrl}/feed.atom" />
  <link href="${baseUrl}/agents" />
  <updated>${verified[0]?.verifiedAt ?? '2026-01-01T00:00:00.000Z'}</updated>
  ${verified.map(
    ({ slug, name, tagline, agency, verification, verifiedAt }) => xml`<entry>
    <title>${name}: ${verification.trustScore}, ${verification.tier}</title>
    <id>${baseUrl}/agents/${slug}#${verifiedAt}</id>
    <link href="${baseUrl}/agents/${slug}" />
    <author><name>${agency.name}</name></author>
    <updated>${verifiedAt}</updated>
    <summary>${tagline}</summary>
  </entry>
  `,
  )}
</feed>
`.text;
}
