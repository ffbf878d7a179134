/** Opens several engines of which none may stay open when a later one cannot be opened. */
interface Closable {
  close(): Promise<void>;
}

interface Opened {
  /** To be closed with the others. */
  readonly keep: <Engine extends Closable>(engine: Engine) => Engine;
  /** Closes what is kept, the last first. */
  readonly close: () => Promise<void>;
}

/** What `open` gives; if it fails, whatever it has kept by then is closed. */
export async function opening<Result>(open: (opened: Opened) => Promise<Result>): Promise<Result> {
  const kept: Closable[] = [];
  const opened: Opened = {
    keep(engine) {
      kept.push(engine);
      return engine;
    },
    async close() {
      for (let last = kept.pop(); last !== undefined; last = kept.pop()) await last.close();
    },
  };
  try {
    return await open(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
