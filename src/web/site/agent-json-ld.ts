/** What search engines and agents read in a listing: Schema.org SoftwareApplication with our own properties. */
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { BundleDocument } from '../../../projections/bundle-document.ts';
import type { Site } from './site.ts';

/** The trust score is a property of ours, never a rating: nobody's users gave it. */
export function agentJsonLd(agent: AgentDocument, site: Site): object {
  const { pricing, verification, links } = agent;
  return {
    ...application(agent, `${site.baseUrl}/agents/${agent.slug}`, site),
    applicationCategory: 'BusinessApplication',
    keywords: [...agent.categories, ...agent.capabilities].join(', '),
    dateModified: agent.updatedAt,
    ...(links.homepage === undefined ? {} : { sameAs: links.homepage }),
    offers: {
      '@type': 'Offer',
      name: 'Trial run',
      price: (pricing.trialPriceCents / 100).toFixed(2),
      priceCurrency: pricing.currency.toUpperCase(),
    },
    additionalProperty: properties(site, {
      verificationTier: verification.tier,
      autonomyLevel: agent.autonomyLevel,
      trustScore: verification.trustScore,
      methodologyVersion: verification.methodologyVersion,
    }),
  };
}

export function bundleJsonLd(bundle: BundleDocument, site: Site): object {
  return {
    ...application(bundle, `${site.baseUrl}/bundles/${bundle.slug}`, site),
    applicationCategory: 'DeveloperApplication',
    softwareVersion: bundle.version,
    license: `https://spdx.org/licenses/${bundle.licence}.html`,
    isAccessibleForFree: true,
    keywords: bundle.categories.join(', '),
    // Its files are under its licence and cost nothing here. It is no agent and has no trust score.
    offers: { '@type': 'Offer', price: '0.00', priceCurrency: 'USD' },
    additionalProperty: properties(site, { rootHash: bundle.manifest.rootHash }),
  };
}

function application(
  { name, description, publishedAt, agency }: AgentDocument | BundleDocument,
  url: string,
  { baseUrl }: Site,
): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    '@id': url,
    url,
    name,
    description,
    operatingSystem: 'Any',
    datePublished: publishedAt,
    provider: { '@type': 'Organization', name: agency.name, url: `${baseUrl}/agencies/${agency.slug}` },
  };
}

/** What is null is left out. */
function properties({ jsonLdNamespace }: Site, values: Record<string, string | number | null>): object[] {
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([label, value]) => ({ '@type': 'PropertyValue', name: `${jsonLdNamespace}:${label}`, value }));
}
