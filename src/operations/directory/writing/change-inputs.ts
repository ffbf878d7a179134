/** What requests that change the directory carry: the shapes of the facts, each field described. */
import { z } from 'zod';
import { agencyProfileSchema } from '../../../../events/agency-events.ts';
import { ASSESSMENT_RESULTS, assessmentSchema, evidenceSchema } from '../../../../events/agent-events.ts';
import { listingSchema } from '../../../../events/agent-listing.ts';
import { bundleProfileSchema, manifestSchema } from '../../../../events/bundle-events.ts';
import { line, versionNumber } from '../../../../events/texts.ts';
import { agencyDocument } from '../../../../projections/agencies.ts';
import { agentDocument, pricingDocument } from '../../../../projections/agent-document.ts';
import { bundleDocument, bundleSummary } from '../../../../projections/bundle-document.ts';
import { evidenceDocument } from '../../../../projections/verification-document.ts';
import { anyTime } from '../../schemas/any-time.ts';
import { linkAddress } from '../../schemas/link-address.ts';

/** Checked as the fact is, described as the document is (or as what that wraps). */
function described<Schema extends z.ZodType>(schema: Schema, as: z.ZodType): Schema {
  const wrapped = as instanceof z.ZodOptional ? as.unwrap() : null;
  const inner = wrapped instanceof z.ZodType ? wrapped.meta() : undefined;
  const { description, example } = as.meta() ?? inner ?? {};
  return schema.meta({ description, example });
}

/** These fields, each {@link described}. */
function fieldsOf<Name extends string, Shape extends Readonly<Record<Name, z.ZodType>>>(
  shape: Shape,
  as: Readonly<Record<Name, z.ZodType>>,
  ...names: readonly Name[]
): Pick<Shape, Name> {
  // Each name is one of the shape.
  return Object.fromEntries(names.map((name) => [name, described(shape[name], as[name])])) as Pick<
    Shape,
    Name
  >;
}

const link = (description: string, example: string) => linkAddress.optional().meta({ description, example });

const listing = listingSchema.shape;
const agent = agentDocument.shape;

/** A listing without its agency. */
export const listingFields = {
  ...fieldsOf(listing, agent, 'name', 'tagline', 'description', 'categories'),
  ...fieldsOf(listing, agent, 'capabilities', 'integrations', 'autonomyLevel'),
  pricing: pricingDocument,
  links: z
    .strictObject({
      homepage: link('Its own page.', 'https://ledgerworks.example/invoice-matcher'),
      documentation: link('How to work with it.', 'https://ledgerworks.example/docs'),
      mcp: link('Its own MCP endpoint.', 'https://ledgerworks.example/mcp'),
      a2aCard: link('Its A2A agent card.', 'https://ledgerworks.example/agent-card.json'),
    })
    .meta({
      description: 'Addresses that begin with https://; leave out what there is none of.',
      example: { homepage: 'https://ledgerworks.example/invoice-matcher' },
    }),
};

const profile = agencyProfileSchema.shape;
const agency = agencyDocument.shape;

export const profileFields = {
  ...fieldsOf(profile, agency, 'name', 'tagline', 'description', 'country', 'legalName', 'foundedYear'),
  links: z
    .strictObject({
      homepage: link('Its own page.', 'https://ledgerworks.example/'),
      support: link('Where to ask for help.', 'https://ledgerworks.example/support'),
      status: link('How its services are doing.', 'https://status.ledgerworks.example/'),
    })
    .meta({
      description: 'Addresses that begin with https://; leave out what there is none of.',
      example: { homepage: 'https://ledgerworks.example/' },
    }),
};

const evidence = evidenceDocument.shape;

export const evidenceFields = {
  id: described(evidenceSchema.shape.id, evidence.id),
  kind: evidence.kind,
  title: described(evidenceSchema.shape.title, evidence.title),
  url: link('Where it can be read, if it is public.', 'https://ledgerworks.example/pentest-2026.pdf'),
  sha256: described(evidenceSchema.shape.sha256, evidence.sha256),
  issuedBy: described(evidenceSchema.shape.issuedBy, evidence.issuedBy),
  issuedAt: described(anyTime, evidence.issuedAt),
  expiresAt: described(anyTime.optional(), evidence.expiresAt),
};

export const assessmentFields = {
  check: assessmentSchema.shape.check.meta({
    description: 'The id of the check in the methodology.',
    example: 'penetration-test',
  }),
  result: z.enum(ASSESSMENT_RESULTS).meta({ description: 'What was found.', example: 'pass' }),
  evidence: assessmentSchema.shape.evidence.meta({
    description: 'The ids of the evidence that the finding rests on; a pass or partial needs one at least.',
    example: ['pentest-2026'],
  }),
  assessedBy: assessmentSchema.shape.assessedBy.meta({
    description: 'Who assessed it: a desk or a firm, no person.',
    example: 'Bourse verification desk',
  }),
  note: assessmentSchema.shape.note
    .default(null)
    .meta({ description: 'What there is to say about it, for everyone to read.', example: null }),
};

const bundleProfile = bundleProfileSchema.shape;
const skill = bundleProfile.skills.element.shape;
const skillDocument = bundleSummary.shape.skills.element.shape;
const file = manifestSchema.shape.files.element.shape;
const fileDocument = bundleDocument.shape.manifest.shape.files.element.shape;

export const bundleFields = {
  version: versionNumber.meta({ description: 'Newer than the one before.', example: '1.1.0' }),
  ...fieldsOf(bundleProfile, bundleSummary.shape, 'name', 'tagline', 'description', 'categories'),
  skills: z
    .array(z.strictObject(fieldsOf(skill, skillDocument, 'name', 'description')))
    .min(1)
    .max(64)
    .meta({ description: 'What an agent can do once it has the bundle.' }),
  licence: described(bundleProfile.licence, bundleSummary.shape.licence),
  files: z
    .array(z.strictObject(fieldsOf(file, fileDocument, 'path', 'size', 'sha256')))
    .min(1)
    .max(2_000)
    .meta({ description: 'Every file, in any order: the manifest is made from them.' }),
};

export const reasonField = line(500).meta({
  description: 'Shown to everyone.',
  example: 'The agency does not answer an incident report.',
});
