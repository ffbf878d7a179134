/** A file that an agency delivered, as answers show it. */
import { z } from 'zod';
import { sha256 } from '../../../events/common.ts';
import { idSchema } from '../../../events/ids.ts';
import type { JobDocument } from '../../../projections/jobs.ts';
import { countField, momentField, textField } from '../../../projections/public-fields.ts';
import { exampleFrom } from '../example-from.ts';

export const MAX_ARTIFACT_BYTES = 100 * 1024 * 1024;

/** One path segment that is safe to save under on every system. */
export const artifactName = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .regex(/^[^/\\:*?"<>|]*$/, 'must be a file name without / \\ : * ? " < > |')
  .refine((name) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name), 'must not hold control characters')
  .refine(
    // With one of these `\u202Egpj.exe` is read as exe.jpg.
    (name) => !/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name),
    'must not turn the direction of writing',
  )
  .refine(
    (name) => !/^\.{1,2}$|^\s|[\s.]$/u.test(name),
    'must not begin or end with a space, or end with a dot',
  )
  .meta({ description: 'The name of the file.', example: 'matches.csv' });

export const artifactSchema = z
  .strictObject({
    id: idSchema('artifact').meta({ description: 'Its id.', example: 'art_01kb3j5m8xe3vb0v6yq4s5t7wt' }),
    name: artifactName,
    contentType: textField('By its first bytes.', 'text/csv'),
    size: countField('In bytes.', 18_204),
    sha256: sha256.meta({
      description: 'SHA-256 of all of it.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
  })
  .meta({ id: 'Artifact', description: 'A file that the agency delivered.' });
export type Artifact = z.output<typeof artifactSchema>;

export const linkedArtifactSchema = artifactSchema
  .extend({
    url: textField(
      'Where to download it, without a key. Supports Range; any change to the address is refused.',
      'http://localhost:8080/artifacts/art_01kb3j5m8xe3vb0v6yq4s5t7wt?exp=1795772700&sig=H4sQ',
    ),
    urlExpiresAt: momentField('Ask again after this.', '2026-11-27T09:45:00.000Z'),
  })
  .meta({ id: 'LinkedArtifact', description: 'A file and where to download it.' });

export const exampleArtifact = exampleFrom(artifactSchema);

export function showArtifact({
  artifactId,
  name,
  contentType,
  sizeBytes,
  sha256: hash,
}: JobDocument['artifacts'][number]): Artifact {
  return { id: artifactId, name, contentType, size: sizeBytes, sha256: hash };
}
