/** The fields that several public documents share, described once, and the kinds of fields that they all are made of. */
import { z } from 'zod';
import { timestamp } from '../events/common.ts';
import { AUTONOMY_ROLES } from '../events/agent-listing.ts';
import { TIERS } from '../events/agent-score.ts';

export const slugField = (example: string, description: string): z.ZodString =>
  z.string().meta({ description, example });

export const textField = (description: string, example: string): z.ZodString =>
  z.string().meta({ description, example });

export const nullableTextField = (description: string, example: string | null): z.ZodNullable<z.ZodString> =>
  z.string().nullable().meta({ description, example });

export const textsField = (description: string, example: readonly string[]): z.ZodArray<z.ZodString> =>
  z.array(z.string()).meta({ description, example });

export const countField = (description: string, example: number): z.ZodInt =>
  z.int().meta({ description, example });

export const nullableCountField = (description: string, example: number | null): z.ZodNullable<z.ZodInt> =>
  z.int().nullable().meta({ description, example });

export const flagField = (description: string, example: boolean): z.ZodBoolean =>
  z.boolean().meta({ description, example });

export const momentField = (description: string, example = '2026-11-27T09:30:00.000Z'): typeof timestamp =>
  timestamp.meta({ description, example });

export const nullableMomentField = (
  description: string,
  example = '2026-11-27T09:30:00.000Z',
): z.ZodNullable<typeof timestamp> => timestamp.nullable().meta({ description, example });

export const timeField = (description: string, example = '2026-11-27T09:30:00.000Z'): z.ZodString =>
  z.string().meta({ description, example });

export const agencyField = z
  .strictObject({
    slug: slugField('ledgerworks', 'The agency’s slug.'),
    name: textField('The agency’s name.', 'Ledgerworks'),
  })
  .meta({
    description: 'The agency that provides it.',
    example: { slug: 'ledgerworks', name: 'Ledgerworks' },
  });

export const categoriesField = z
  .array(z.string())
  .meta({ description: 'What it is for, as slugs.', example: ['finance'] });

export const tierField = z.enum(TIERS).meta({
  description: 'The highest tier whose minimum score is reached and whose required checks all pass.',
  example: 'verified',
});

export const trustScoreField = z.int().min(0).max(100).meta({
  description: 'round(100 × earned points / possible points): arithmetic on published evidence, no opinion.',
  example: 83,
});

export const autonomyLevelField = z
  .int()
  .min(1)
  .max(AUTONOMY_ROLES.length)
  .meta({
    description: `How much it does by itself, from 1 to 5; the user is its ${AUTONOMY_ROLES.join(', ')}.`,
    example: 3,
  });

export const sha256Field = (description: string): z.ZodString =>
  z.string().meta({
    description,
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  });

export const linkField = (description: string, example: string): z.ZodOptional<z.ZodString> =>
  z.string().optional().meta({ description, example });
