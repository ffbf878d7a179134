/** The files that agencies delivered, by their id: what a download needs to know. */
import { z } from 'zod';
import { creates, defineProjection } from './projection.ts';

const artifactDocumentSchema = z.strictObject({
  jobId: z.string(),
  name: z.string(),
  contentType: z.string(),
  sizeBytes: z.int(),
  sha256: z.string(),
});
export type ArtifactDocument = z.output<typeof artifactDocumentSchema>;

export const artifactsProjection = defineProjection<ArtifactDocument>({
  name: 'artifacts',
  version: 1,
  summary: 'Every file that was delivered, replaced ones included.',
  schema: artifactDocumentSchema,
  on: {
    ArtifactAttached: creates('artifactId', ({ data }) => {
      const { artifactId: _, ...artifact } = data;
      return artifact;
    }),
  },
});
