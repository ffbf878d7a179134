/** What happens to an agency, a provider of agents and bundles: one stream `agency-{slug}`. No personal data. */
import { z } from 'zod';
import { slug, timestamp } from './common.ts';
import { defineEvent, type FactOf } from './event.ts';
import { line, prose, webAddress } from './texts.ts';

export const agencyProfileSchema = z.strictObject({
  name: line(80),
  tagline: line(160),
  description: prose(4_000),
  /** ISO 3166-1 alpha-2, where it is established. */
  country: z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as DE'),
  /** The name in its public register. */
  legalName: line(160),
  foundedYear: z.int().min(1800).max(2200),
  links: z.strictObject({
    homepage: webAddress.optional(),
    support: webAddress.optional(),
    status: webAddress.optional(),
  }),
});
export type AgencyProfile = z.output<typeof agencyProfileSchema>;

const agency = 'ledgerworks';
const exampleProfile: AgencyProfile = {
  name: 'Ledgerworks',
  tagline: 'Agents for the finance back office.',
  description: 'Builds agents that close books with accountants, not around them.',
  country: 'DE',
  legalName: 'Ledgerworks GmbH',
  foundedYear: 2021,
  links: { homepage: 'https://ledgerworks.example/' },
};

export const agencyEvents = [
  defineEvent({
    type: 'AgencyRegistered',
    summary: 'A provider joined; it may list agents and bundles and fulfil jobs.',
    data: z.strictObject({ agency: slug, profile: agencyProfileSchema }),
    example: { agency, profile: exampleProfile },
  }),
  defineEvent({
    type: 'AgencyRevised',
    summary:
      'The profile changed; it is carried whole. A new name is taken over by the listings that bear it.',
    data: z.strictObject({ agency: slug, profile: agencyProfileSchema }),
    example: { agency, profile: { ...exampleProfile, name: 'Ledgerworks Europe' } },
  }),
  defineEvent({
    type: 'AgencyCarried',
    summary:
      'A snapshot of the agency after many events, so that loading reads back no further. It changes nothing.',
    data: z.strictObject({
      agency: slug,
      profile: agencyProfileSchema,
      /** When it was revised in the day up to its last revision, the earliest first. */
      revisedAt: z.array(timestamp),
    }),
    example: { agency, profile: exampleProfile, revisedAt: ['2026-11-27T09:30:00.000Z'] },
  }),
] as const;

export type AgencyFact = FactOf<(typeof agencyEvents)[number]>;
