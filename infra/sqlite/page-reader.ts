/**
 * Finds the pages that may take long, in a worker, one at a time: a search for common words among many documents takes
 * a tenth of a second, and the event loop answers others meanwhile.
 */
import type { Worker } from 'node:worker_threads';
import { type Asking, type Page, ViewBeingBuilt, ViewsUnavailable } from '../../projections/view-store.ts';
import type { FoundPage, PageAnswer, PageQuestion } from './page-questions.ts';
import { createPageTurns } from './page-turns.ts';
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
   * @throws {ViewsUnavailable} the worker died or hung, or the question had no turn
   */
  readonly find: (asking: Asking | undefined, look: () => Page | SlowPage) => Promise<Page>;
  readonly close: () => Promise<void>;
}

export interface PageReaderOptions {
  /** For tests that watch the worker. */
  readonly startWorker?: (path: string) => Worker;
  readonly answerTimeoutMs?: number;
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
  const turns = createPageTurns();
  let underWay: Promise<PageAnswer> | undefined;
  let isClosed = false;

  async function answerTo(question: PageQuestion): Promise<FoundPage> {
    underWay = worker.ask(question);
    return foundIn(question, await underWay);
  }

  return {
    async find(asking, look) {
      const leave = await turns.enter(asking);
      try {
        if (isClosed) throw new ViewsUnavailable('the views are closed');
        const known = look();
        return 'rows' in known ? known : known.take(await answerTo(known.question));
      } finally {
        leave();
      }
    },
    async close() {
      isClosed = true;
      // Nothing more is asked: whoever waits is refused when their turn comes, which is now.
      await underWay;
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
