/**
 * Files that are sent at once share the event loop with everybody else: in each of its rounds a few pieces go, and the
 * others wait for the next. A line that takes all would have hundreds of pieces in one round. Who fetches many files has
 * no more turns than who fetches one.
 */

export interface FilePace {
  /** The same bytes, each piece in its turn. @param whose those with the same have one turn after another */
  readonly paced: (bytes: AsyncIterable<Uint8Array>, whose: string) => AsyncGenerator<Uint8Array, void>;
}

/** With pieces of 64 KiB more than any line takes. */
const PIECES_A_ROUND = 4;

export function createFilePace(piecesARound = PIECES_A_ROUND): FilePace {
  /** What waits, by whose it is; whoever comes first in the map has the next turn. */
  const lines = new Map<string, (() => void)[]>();
  let left = piecesARound;

  function beginRound(): void {
    left = piecesARound;
    for (let goOn = nextInTurn(); goOn !== undefined; goOn = left > 0 ? nextInTurn() : undefined) {
      take();
      goOn();
    }
  }
  function nextInTurn(): (() => void) | undefined {
    for (const [whose, line] of lines) {
      const goOn = line.shift();
      lines.delete(whose);
      if (line.length > 0) lines.set(whose, line);
      return goOn;
    }
    return undefined;
  }
  function take(): void {
    if (left === piecesARound) setImmediate(beginRound);
    left -= 1;
  }
  async function turn(whose: string): Promise<void> {
    if (left > 0) return take();
    const line = lines.get(whose) ?? [];
    lines.set(whose, line);
    return new Promise((resolve) => line.push(resolve));
  }

  return {
    async *paced(bytes, whose) {
      for await (const piece of bytes) {
        await turn(whose);
        yield piece;
      }
    },
  };
}
