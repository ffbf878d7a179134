import { once } from 'node:events';

/** Resolves once the signal is aborted; at once where it was before. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
