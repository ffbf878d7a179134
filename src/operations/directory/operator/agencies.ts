import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { agencySlugInput } from '../fields.ts';
import { exampleChange, operatorChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import { profileFields } from '../writing/change-inputs.ts';

const { agency, profile } = exampleOf('AgencyRegistered');

export const registerAgency = operatorChange({
  name: 'registerAgency',
  summary: 'Register an agency, or revise its profile.',
  description: 'Says how the profile shall read; the same again changes nothing.',
  input: z.strictObject({ slug: agencySlugInput, ...profileFields }),
  example: { input: { slug: agency, ...profile }, output: exampleChange('AgencyRegistered') },
  change: ({ slug, ...fields }) => changes.registerAgency(slug, fields),
  created: ({ slug }) => ({ by: 'AgencyRegistered', address: `/agencies/${slug}` }),
});
