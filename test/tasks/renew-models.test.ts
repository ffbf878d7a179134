import { expect } from 'chai';
import { createMemoryBlobs } from '../contract/memory/blobs.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { createMemoryQueue } from '../contract/memory/queue.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import type { GetOutcome } from '../../src/ports/fetcher.ts';
import { renewModels } from '../../src/tasks/renew-models.ts';

const NOW = Date.parse('2026-11-01T09:00:00.000Z');
const HOUR = 60 * 60_000;
const TASK = {
  id: 'sync-models',
  name: 'sync-models',
  payload: '{}',
  attempt: 1,
  addedAtMs: NOW,
  claim: 'ours',
};

describe('Renewing the models', () => {
  const answered = (status: number, body: string, retryAfterMs: number | null = null): GetOutcome => ({
    kind: 'answered',
    status,
    body: Buffer.from(body),
    etag: '"v1"',
    contentType: 'application/json',
    retryAfterMs,
  });

  /** What becomes of the task after this answer, and what was asked for. */
  function task(answers: GetOutcome[]) {
    const events = memoryEventStore();
    const commands = createCommandRunner(events);
    const services = { events, commands, blobs: createMemoryBlobs(), queue: createMemoryQueue() };
    const sent: Readonly<Record<string, string>>[] = [];
    const told: string[] = [];
    const fetcher = {
      async get({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
        sent.push(headers);
        return answers.shift() ?? ({ kind: 'stopped' } as const);
      },
    };
    const log = {
      info: (_fields: unknown, message?: string) => void told.push(`info: ${message}`),
      warn: (_fields: unknown, message?: string) => void told.push(`warn: ${message}`),
    };
    const kind = renewModels(services, fetcher, 'https://router.example/api/v1/models', log);
    const run = () =>
      kind.run(TASK, {
        nowMs: NOW,
        retryAtMs: (pauseMs = 0) => NOW + pauseMs,
        signal: new AbortController().signal,
      });
    return { run, sent, told };
  }
  const good = JSON.stringify({ data: [{ id: 'acme/lens', name: 'Lens' }] });

  it('is done again within an hour and some minutes, asking for what is new alone', async () => {
    const { run, sent, told } = task([answered(200, good), answered(304, '')]);
    for (const ifNoneMatch of [undefined, '"v1"']) {
      const outcome = await run();
      if (outcome.kind !== 'repeat') throw new Error(`it is ${outcome.kind}`);
      expect(outcome.atMs).to.be.within(NOW + HOUR, NOW + HOUR + 5 * 60_000);
      expect(sent.at(-1)?.['if-none-match']).to.equal(ifNoneMatch);
    }
    // The model lacks nearly everything that there is to say of one.
    expect(told).to.deep.equal(['warn: models renewed']);
  });

  it('is tried again soon where the answer cannot be used, or when the router says', async () => {
    const { run } = task([answered(200, ''), answered(503, '', 120_000), answered(503, '', 24 * HOUR)]);
    const first = await run();
    if (first.kind !== 'retry') throw new Error(`it is ${first.kind}`);
    expect(first.atMs).to.equal(undefined);
    expect(String(first.error)).to.equal('NotRenewed: empty: the answer is empty');
    expect(await run()).to.deep.include({ kind: 'retry', atMs: NOW + 120_000 });
    expect(await run()).to.deep.include({ kind: 'retry', atMs: NOW + HOUR });
  });

  it('is left to the next start where the service stops', async () => {
    expect(await task([]).run()).to.deep.equal({ kind: 'later', atMs: NOW });
  });
});
