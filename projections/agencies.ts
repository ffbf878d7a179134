/** The view of agencies: the document as it is served, with the listings and bundles that each provides. */
import { z } from 'zod';
import { changes, defineProjection, on } from './projection.ts';
import { countField, linkField, slugField, textField, textsField, timeField } from './public-fields.ts';
import { sortableName } from './words.ts';

export const AGENCIES = 'agencies';

export const agencyDocument = z
  .strictObject({
    slug: slugField('ledgerworks', 'Its name in addresses; never changes.'),
    name: textField('Its name.', 'Ledgerworks'),
    tagline: textField('What it does, in a line.', 'Agents for the finance back office.'),
    description: textField(
      'What it does, in full. Plain text.',
      'Builds agents that close books with accountants, not around them.',
    ),
    country: textField('Where it is established: ISO 3166-1 alpha-2.', 'DE'),
    legalName: textField('Its name in the public register.', 'Ledgerworks GmbH'),
    foundedYear: countField('The year it was founded.', 2021),
    links: z
      .strictObject({
        homepage: linkField('Its own page.', 'https://ledgerworks.example/'),
        support: linkField('Where to ask for help.', 'https://ledgerworks.example/support'),
        status: linkField('How its services are doing.', 'https://status.ledgerworks.example/'),
      })
      .meta({
        description: 'Addresses the agency gives; those it does not give are left out.',
        example: { homepage: 'https://ledgerworks.example/' },
      }),
    agents: textsField('The slugs of its listed agents.', ['invoice-matcher']),
    bundles: textsField('The slugs of its bundles.', ['month-end-close']),
    registeredAt: timeField('When it was registered.'),
    updatedAt: timeField('When its profile, listings or bundles last changed.'),
  })
  .meta({ id: 'Agency', description: 'A provider of agents and bundles.' });
export type AgencyDocument = z.output<typeof agencyDocument>;

export const agencies = defineProjection<AgencyDocument>({
  name: AGENCIES,
  version: 2,
  summary: 'Registered agencies with the listings and bundles they provide.',
  schema: agencyDocument,
  fields: { nameKey: 'text', country: 'text' },
  orders: {
    name: [{ field: 'nameKey', direction: 'asc' }],
    relevance: [{ field: 'nameKey', direction: 'asc' }],
  },
  on: {
    AgencyRegistered: on('agency', (_, { data, at }) => ({
      slug: data.agency,
      ...data.profile,
      agents: [],
      bundles: [],
      registeredAt: at,
      updatedAt: at,
    })),
    AgencyRevised: changes('agency', (_, { data, at }) => ({ ...data.profile, updatedAt: at })),
    AgentPublished: {
      keys: ({ data }) => [data.listing.agency.slug],
      apply: (doc, { data, at }) => doc && { ...doc, agents: withOne(doc.agents, data.agent), updatedAt: at },
    },
    AgentSuspended: changes('agency', (doc, { data, at }) => ({
      agents: without(doc.agents, data.agent),
      updatedAt: at,
    })),
    AgentResumed: changes('agency', (doc, { data, at }) => ({
      agents: withOne(doc.agents, data.agent),
      updatedAt: at,
    })),
    AgentRetired: changes('agency', (doc, { data, at }) => ({
      agents: without(doc.agents, data.agent),
      updatedAt: at,
    })),
    BundleVersionPublished: {
      keys: ({ data }) => [data.profile.agency.slug],
      apply: (doc, { data, at }) =>
        doc && { ...doc, bundles: withOne(doc.bundles, data.bundle), updatedAt: at },
    },
    BundleRetired: changes('agency', (doc, { data, at }) => ({
      bundles: without(doc.bundles, data.bundle),
      updatedAt: at,
    })),
  },
  index: (doc) => ({ nameKey: sortableName(doc.name), country: doc.country }),
  words: (doc) => [doc.name, doc.tagline, doc.legalName, doc.description],
});

function withOne(slugs: readonly string[], slug: string): string[] {
  return [...without(slugs, slug), slug].sort();
}

function without(slugs: readonly string[], slug: string): string[] {
  return slugs.filter((other) => other !== slug);
}
