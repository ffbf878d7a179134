/**
 * Files that are sent at once share the event loop with everybody else: in each of its rounds a few pieces go, of
 * whichever files, and the others wait for the next. A line that takes all would have hundreds of pieces in one round.
 */

export interface FilePace {
  /** The same bytes, each piece in its turn. */
  readonly paced: (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void>;
}

/** With pieces of 64 KiB more than any line takes. */
const PIECES_A_ROUND = 4;

export function createFilePace(piecesARound = PIECES_A_ROUND): FilePace {
  const waiting: (() => void)[] = [];
  let left = piecesARound;

  function beginRound(): void {
    left = piecesARound;
    const next = waiting.splice(0, left);
    if (next.length === 0) return;
    take(next.length);
    for (const goOn of next) goOn();
  }
  function take(places: number): void {
    if (left === piecesARound) setImmediate(beginRound);
    left -= places;
  }
  async function turn(): Promise<void> {
    if (left === 0) return new Promise((resolve) => waiting.push(resolve));
    take(1);
  }

  return {
    async *paced(bytes) {
      for await (const piece of bytes) {
        await turn();
        yield piece;
      }
    },
  };
}
