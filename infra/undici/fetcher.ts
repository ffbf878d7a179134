/**
 * The Fetcher, whose library is loaded with the first message: that takes 80 ms of CPU and 18 MiB, and a service that
 * starts has mostly nobody to tell yet.
 */
import type { Fetcher } from '../../src/ports/fetcher.ts';
import type { FetcherOptions } from './agent-fetcher.ts';

export function createFetcher(options: FetcherOptions = {}): Fetcher {
  let loading: Promise<Fetcher> | undefined;
  const load = async (): Promise<Fetcher> => {
    const { createAgentFetcher } = await import('./agent-fetcher.ts');
    return createAgentFetcher(options);
  };
  return {
    post: async (outgoing) => (await (loading ??= load())).post(outgoing),
    get: async (outgoing) => (await (loading ??= load())).get(outgoing),
    close: async () => (await loading)?.close(),
  };
}
