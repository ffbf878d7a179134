import { z } from 'zod';
import { exampleJobId, jobIdInput } from '../jobs/job-schema.ts';
import { ownJob } from '../jobs/read-job.ts';
import { exampleFrom } from '../example-from.ts';
import { defineOperation } from '../operation.ts';
import { artifactLink } from './artifact-link.ts';
import { linkedArtifactSchema, showArtifact } from './artifact-schema.ts';

export const listArtifacts = defineOperation({
  name: 'listArtifacts',
  summary: 'The files that the agency delivered for one of your jobs, with addresses to download them.',
  description:
    'Each address is signed, works for 15 minutes without a key, and resumes with `Range`. Ask again for fresh ones.',
  tag: 'jobs',
  kind: 'query',
  scope: 'jobs:read',
  input: z.strictObject({ jobId: jobIdInput }),
  output: z.array(linkedArtifactSchema),
  refusals: ['not_found'],
  example: { input: { jobId: exampleJobId }, output: [exampleFrom(linkedArtifactSchema)] },
  async run({ jobId }, { caller, at }, services) {
    const job = await ownJob(services, jobId, caller);
    if ('ok' in job) return job;
    const links = job.artifacts.map((artifact) => ({
      ...showArtifact(artifact),
      ...artifactLink(services, artifact.artifactId, at),
    }));
    return { ok: true, data: links };
  },
});
