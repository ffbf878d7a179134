import { z } from 'zod';
import { idSchema } from '../../../events/ids.ts';
import { artifactsProjection } from '../../../projections/artifacts.ts';
import { defineOperation, type Outcome } from '../operation.ts';
import { readView } from '../read-view.ts';
import { refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { answerFile, fileConditions } from './answer-file.ts';
import { isGoodLink } from './artifact-link.ts';
import { exampleArtifact } from './artifact-schema.ts';

/** A file that is listed and not yet in its view will be there in a moment. */
const VIEW_PATIENCE_MS = 2_000;

export const downloadArtifact = defineOperation({
  name: 'downloadArtifact',
  summary: 'Download a file by its signed address.',
  description:
    'The address comes from the list of a job’s artifacts and is the credential: it works for 15 minutes. One range ' +
    'can be asked for; whoever asks for several has the whole file. The ETag is the SHA-256 of the bytes, and there is ' +
    'no date for conditions to be upon. A changed or late address is answered with 403.',
  tag: 'jobs',
  kind: 'query',
  scope: null,
  input: z.strictObject({
    artifactId: idSchema('artifact').meta({ description: 'Which file.', example: exampleArtifact.id }),
    exp: z
      .string()
      .max(20)
      .meta({ description: 'When the address ends, Unix seconds.', example: '1795772700' }),
    sig: z.string().max(100).meta({ description: 'Our signature.', example: 'H4sQ' }),
    ...fileConditions,
  }),
  output: z.unknown().meta({ description: 'The bytes of the file.' }),
  refusals: ['forbidden', 'precondition_failed', 'range_not_satisfiable'],
  example: { input: { artifactId: exampleArtifact.id, exp: '1795772700', sig: 'H4sQ' }, output: null },
  async run({ artifactId, exp, sig, ...conditions }, { at }, services): Promise<Outcome<unknown>> {
    if (!isGoodLink(services, artifactId, { exp, sig }, at)) {
      return refuse('forbidden', 'This address was changed, or its time is over: list the artifacts again.');
    }
    const file = await artifactOf(services, artifactId);
    if (file === undefined) return refuse('not_found', 'This file is not here any more.');
    return answerFile(file, conditions, async (first, last) => {
      const bytes = await services.blobs.open(artifactId, first, last);
      if (bytes === null) throw new Error(`the bytes of ${artifactId} are not there`);
      return bytes;
    });
  },
});

async function artifactOf({ views, projector, events }: Services, artifactId: string) {
  const known = await readView(views, artifactsProjection, artifactId);
  if (known !== undefined) return known;
  const head = await events.head();
  if (head !== null) await projector.reached(artifactsProjection.name, head, VIEW_PATIENCE_MS);
  return readView(views, artifactsProjection, artifactId);
}
