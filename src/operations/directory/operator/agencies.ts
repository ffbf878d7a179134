import { exampleOf } from '../../../../events/catalog.ts';
import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { agencySlugInput } from '../fields.ts';
import { answerChange, exampleChange } from '../writing/answer-change.ts';
import * as changes from '../writing/changes.ts';
import { profileFields } from '../writing/change-inputs.ts';
import { operatorChange } from './shared.ts';

const { agency, profile } = exampleOf('AgencyRegistered');

export const registerAgency = defineOperation({
  ...operatorChange,
  name: 'registerAgency',
  summary: 'Register an agency, or revise its profile.',
  description: 'Says how the profile shall read; the same again changes nothing.',
  input: z.strictObject({ slug: agencySlugInput, ...profileFields }),
  example: { input: { slug: agency, ...profile }, output: exampleChange('AgencyRegistered') },
  run: ({ slug, ...fields }, call, services) =>
    answerChange(services, call, changes.registerAgency(slug, fields), {
      by: 'AgencyRegistered',
      address: `/agencies/${slug}`,
    }),
});
