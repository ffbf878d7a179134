/**
 * Finds the pages that may take long, in a worker, one at a time: a search for common words among many documents takes
 * a tenth of a second, and the event loop answers others meanwhile. Of the questions that wait, askers take turns.
 */
import type { Worker } from 'node:worker_threads';
import { type Page, ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import { createRotation } from '../../src/ports/rotation.ts';
import type { FoundPage, PageAnswer, PageQuestion } from './page-questions.ts';
import { spawnWorker } from './spawn-worker.ts';
import { WorkerRpc } from './worker-rpc.ts';

/** A page that the event loop does not find itself. */
export interface SlowPage {
  readonly question: PageQuestion;
  /** The page as it is to be given, once it was found. */
  readonly take: (found: FoundPage) => Page;
}

export interface PageReader {
  /**
   * @param look what is known of the page: asked again when its turn has come, since others may have asked the same
   * @throws {ViewsUnavailable} the worker died or hung, or too many questions of this asker wait
   */
  readonly find: (asker: string, look: () => Page | SlowPage) => Promise<Page>;
  readonly close: () => Promise<void>;
}

export interface PageReaderOptions {
  /** For tests that watch the worker. */
  readonly startWorker?: (path: string) => Worker;
  readonly answerTimeoutMs?: number;
}

/** More than a caller has under way who waits for answers. */
const MAX_WAITING_OF_ASKER = 500;

interface Waiting {
  readonly asker: string;
  readonly look: () => Page | SlowPage;
  readonly resolve: (page: Page) => void;
  readonly reject: (error: unknown) => void;
}

export function startPageReaderWorker(path: string): Worker {
  return spawnWorker('./page-reader-worker', path);
}

/** @param path of the views' file, opened by the first question */
export function openPageReader(
  path: string,
  { startWorker = startPageReaderWorker, answerTimeoutMs }: PageReaderOptions = {},
): PageReader {
  const unavailable = (message: string): PageAnswer => ({ kind: 'unavailable', message });
  const worker = new WorkerRpc<PageQuestion, PageAnswer, PageAnswer>({
    file: 'views',
    start: () => startWorker(path),
    answerTimeoutMs,
    answerIn: (answer) => answer,
    refused: unavailable,
    lost: unavailable,
  });
  const waiting = createRotation<Waiting>();
  const counts = new Map<string, number>();
  let draining: Promise<void> | undefined;
  let isClosed = false;

  async function answer({ look, resolve, reject }: Waiting): Promise<void> {
    try {
      if (isClosed) throw new ViewsUnavailable('the views are closed');
      const known = look();
      if ('rows' in known) resolve(known);
      else resolve(known.take(foundIn(known.question, await worker.ask(known.question))));
    } catch (error) {
      reject(error);
    }
  }
  async function drain(): Promise<void> {
    for (let next = waiting.take(); next !== undefined; next = waiting.take()) {
      const left = (counts.get(next.asker) ?? 1) - 1;
      if (left > 0) counts.set(next.asker, left);
      else counts.delete(next.asker);
      await answer(next);
    }
    draining = undefined;
  }

  return {
    find(asker, look) {
      const count = counts.get(asker) ?? 0;
      if (count >= MAX_WAITING_OF_ASKER)
        return Promise.reject(new ViewsUnavailable(`${count} searches of one asker wait`));
      return new Promise((resolve, reject) => {
        counts.set(asker, count + 1);
        waiting.put(asker, { asker, look, resolve, reject });
        draining ??= drain();
      });
    },
    async close() {
      isClosed = true;
      await draining;
      await worker.close();
    },
  };
}

/** @throws {ViewsUnavailable} */
function foundIn({ view }: PageQuestion, answer: PageAnswer): FoundPage {
  switch (answer.kind) {
    case 'found':
      return answer.found;
    case 'being-built':
      throw new ViewBeingBuilt(view);
    case 'unavailable':
      throw new ViewsUnavailable(answer.message);
    case 'bug':
      throw new Error(`a page of ${view} was not found: ${answer.message}`);
  }
}
