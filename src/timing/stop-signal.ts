/** SIGINT (Ctrl-C) and SIGTERM as an AbortSignal, so that what is in flight can be finished. */

export interface StopSignal {
  readonly signal: AbortSignal;
  /** From then on both end the process at once, as they would without us. */
  readonly release: () => void;
}

/** The first of the two aborts the signal; another one does not wait. */
export function listenForStop(): StopSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    release();
    stopping.abort();
  };
  const release = (): void => void process.off('SIGINT', stop).off('SIGTERM', stop);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: stopping.signal, release };
}
