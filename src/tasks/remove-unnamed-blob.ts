/** A day after a blob was stored, on one node: it is removed unless the log names it, by which alone it can be found. */
import { dataSetDecider } from '../../commands/data-set/data-set.ts';
import { jobDecider } from '../../commands/job/job.ts';
import { decodeEvent } from '../../events/catalog.ts';
import type { TaskKind } from '../background/task-runner.ts';
import {
  REMOVE_UNNAMED_BLOB,
  type UnnamedBlob,
  UNNAMED_FOR_MS,
  unnamedBlob,
} from '../background/unnamed-blobs.ts';
import { streamIdOf } from '../commanding/command-runner.ts';
import type { Services } from '../operations/services.ts';
import { payloadOf } from './task-payload.ts';

type Removing = Pick<Services, 'blobs' | 'commands' | 'events'>;

/** What cannot be decided or removed for so long is left, and told at each try. */
const GIVE_UP_AFTER_MS = 30 * UNNAMED_FOR_MS;

export function removeUnnamedBlob(services: Removing): TaskKind {
  return {
    name: REMOVE_UNNAMED_BLOB,
    concurrency: 2,
    leaseMs: 10 * 60_000,
    retry: { firstPauseMs: 60_000, maxPauseMs: 60 * 60_000, giveUpAfterMs: GIVE_UP_AFTER_MS },
    async run(task, { nowMs }) {
      // withRemoval wrote it.
      const blob = payloadOf(task, unnamedBlob);
      switch (await useOf(blob, services, nowMs)) {
        case 'kept':
          return { kind: 'done' };
        case 'in_use':
          return { kind: 'later', atMs: nowMs + UNNAMED_FOR_MS };
        case 'none':
          await services.blobs.remove(blob.key);
          return { kind: 'done' };
      }
    },
  };
}

/** `in_use` for a time only. */
type BlobUse = 'kept' | 'in_use' | 'none';

async function useOf({ key, owner }: UnnamedBlob, services: Removing, nowMs: number): Promise<BlobUse> {
  switch (owner.kind) {
    case 'import': {
      const at = new Date(nowMs).toISOString();
      const { state } = await services.commands.load(dataSetDecider, owner.dataset, at);
      return state.status === 'importing' && state.importId === key ? 'in_use' : 'none';
    }
    case 'job':
      return useByJob(key, owner.jobId, services);
  }
}

/** A file that was replaced can still be fetched: what is named once is kept. */
async function useByJob(key: string, jobId: string, { events }: Removing): Promise<BlobUse> {
  let isKnown = false;
  for await (const recorded of events.read(streamIdOf(jobDecider, jobId))) {
    isKnown = true;
    const event = decodeEvent(recorded);
    if (event.type === 'ArtifactAttached' && event.data.artifactId === key) return 'kept';
  }
  // A log without the job is not the one that the file was delivered to.
  return isKnown ? 'none' : 'kept';
}
