/** What search engines and agents read in a listing: Schema.org SoftwareApplication with our own properties. */
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { BundleDocument } from '../../../projections/bundle-document.ts';
import type { Site } from './site.ts';

/** The trust score is a property of ours, never a rating: nobody's users gave it. */
export function agentJsonLd(agent: AgentDocument, { baseUrl, jsonLdNamespace }: Site): object {
  const { slug, name, description, agency, pricing, verification, links } = agent;
  const property = (label: string, value: string | number | null): object[] =>
    value === null
      ? []
      : [
          {
            '@type': 'PropertyValue',
            name: `${jsonLdNamespace}:${label}`,
            value,
          },
        ];
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    '@id': `${baseUrl}/agents/${slug}`,
    url: `${baseUrl}/agents/${slug}`,
    name,
    description,
    applicationCategory: 'BusinessApplication',
    operatingSystem: 'Any',
    keywords: [...agent.categories, ...agent.capabilities].join(', '),
    datePublished: agent.publishedAt,
    dateModified: agent.updatedAt,
    ...(links.homepage === undefined ? {} : { sameAs: links.homepage }),
    provider: { '@type': 'Organization', name: agency.name, url: `${baseUrl}/agencies/${agency.slug}` },
    offers: {
      '@type': 'Offer',
      name: 'Trial run',
      price: (pricing.trialPriceCents / 100).toFixed(2),
      priceCurrency: pricing.currency.toUpperCase(),
    },
    additionalProperty: [
      ...property('verificationTier', verification.tier),
      ...property('autonomyLevel', agent.autonomyLevel),
      ...property('trustScore', verification.trustScore),
      ...property('methodologyVersion', verification.methodologyVersion),
    ],
  };
}

export function bundleJsonLd(bundle: BundleDocument, { baseUrl, jsonLdNamespace }: Site): object {
  const { slug, name, description, agency, licence, version, manifest, publishedAt } = bundle;
  return {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    '@id': `${baseUrl}/bundles/${slug}`,
    url: `${baseUrl}/bundles/${slug}`,
    name,
    description,
    applicationCategory: 'DeveloperApplication',
    operatingSystem: 'Any',
    softwareVersion: version,
    license: `https://spdx.org/licenses/${licence}.html`,
    isAccessibleForFree: true,
    keywords: bundle.categories.join(', '),
    datePublished: publishedAt,
    provider: { '@type': 'Organization', name: agency.name, url: `${baseUrl}/agencies/${agency.slug}` },
    // Its files are under its licence and cost nothing here. It is no agent and has no trust score.
    offers: { '@type': 'Offer', price: '0.00', priceCurrency: 'USD' },
    additionalProperty: [
      { '@type': 'PropertyValue', name: `${jsonLdNamespace}:rootHash`, value: manifest.rootHash },
    ],
  };
}
