import { z } from 'zod';
import { idSchema } from '../../../events/ids.ts';
import { artifactsProjection } from '../../../projections/artifacts.ts';
import { defineOperation, FileAnswer, type Outcome } from '../operation.ts';
import { readView } from '../read-view.ts';
import { refuse } from '../refusals.ts';
import type { Services } from '../services.ts';
import { isGoodLink } from './artifact-link.ts';
import { exampleArtifact } from './artifact-schema.ts';
import { wantedRange } from './wanted-range.ts';

/** As many as node takes of all headers together. */

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
    // The fields of a request's head are bounded together, by its transport: a longer one is never read.
    range: z
      .string()
      .optional()
      .meta({ description: 'A part of the file, such as bytes=0-1023.', example: 'bytes=0-1023' }),
    ifRange: z
      .string()
      .optional()
      .meta({ description: 'The ETag that the range is of.', example: `"${exampleArtifact.sha256}"` }),
    ifMatch: z
      .string()
      .optional()
      .meta({
        description: 'ETags of which the file must have one.',
        example: `"${exampleArtifact.sha256}"`,
      }),
    ifNoneMatch: z
      .string()
      .optional()
      .meta({
        description: 'ETags that you have: 304 where it is one of them.',
        example: `"${'0'.repeat(64)}"`,
      }),
  }),
  output: z.unknown().meta({ description: 'The bytes of the file.' }),
  refusals: ['forbidden', 'precondition_failed', 'range_not_satisfiable'],
  example: { input: { artifactId: exampleArtifact.id, exp: '1795772700', sig: 'H4sQ' }, output: null },
  async run(
    { artifactId, exp, sig, range, ifRange, ...conditions },
    { at },
    services,
  ): Promise<Outcome<unknown>> {
    if (!isGoodLink(services, artifactId, { exp, sig }, at)) {
      return refuse('forbidden', 'This address was changed, or its time is over: list the artifacts again.');
    }
    const file = await artifactOf(services, artifactId);
    if (file === undefined) return refuse('not_found', 'This file is not here any more.');
    const tag = `"${file.sha256}"`;
    if (conditions.ifMatch !== undefined && !namesTag(conditions.ifMatch, tag))
      return refuse('precondition_failed', `The file is another one: its ETag is ${tag}.`, {
        details: [{ path: 'If-Match', message: 'names no ETag of the file', limit: tag }],
      });
    const isKnown = conditions.ifNoneMatch !== undefined && namesTagWeakly(conditions.ifNoneMatch, tag);
    if (isKnown)
      return { ok: true, data: new FileAnswer(file, 'not modified', () => Promise.resolve(noBytes())) };
    const asked = ifRange === undefined || ifRange === tag ? range : undefined;
    const wanted = wantedRange(asked, file.sizeBytes);
    if (wanted === 'beyond') {
      return refuse('range_not_satisfiable', `The file has ${file.sizeBytes} bytes.`, {
        details: [
          { path: 'Range', message: `the file has ${file.sizeBytes} bytes`, limit: String(file.sizeBytes) },
        ],
      });
    }
    const first = wanted?.first ?? 0;
    const last = wanted?.last ?? file.sizeBytes - 1;
    const open = async (): Promise<AsyncIterable<Uint8Array>> => {
      const bytes = file.sizeBytes === 0 ? noBytes() : await services.blobs.open(artifactId, first, last);
      if (bytes === null) throw new Error(`the bytes of ${artifactId} are not there`);
      return bytes;
    };
    return { ok: true, data: new FileAnswer(file, wanted, open) };
  },
});

/** RFC 9110 §13.1.1, in the strong comparison. Tags of files have no commas. */
function namesTag(list: string, tag: string): boolean {
  return list.trim() === '*' || list.split(',').some((one) => one.trim() === tag);
}

/** §13.1.2: a weak tag is as good. */
function namesTagWeakly(list: string, tag: string): boolean {
  return namesTag(list.replaceAll(/\bW\/"/g, '"'), tag);
}

async function artifactOf({ views, projector, events }: Services, artifactId: string) {
  const known = await readView(views, artifactsProjection, artifactId);
  if (known !== undefined) return known;
  const head = await events.head();
  if (head !== null) await projector.reached(artifactsProjection.name, head, VIEW_PATIENCE_MS);
  return readView(views, artifactsProjection, artifactId);
}

async function* noBytes(): AsyncIterable<Uint8Array> {
  // An empty file.
}
