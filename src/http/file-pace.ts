/**
 * Files that are sent at once share the event loop with everybody else: in each of its rounds a few pieces go, and the
 * others wait for the next. A line that takes all would have hundreds of pieces in one round. Who fetches many files has
 * no more turns than who fetches one.
 */
import { createRounds } from '../ports/rotation.ts';

export interface FilePace {
  /** The same bytes, each piece in its turn. @param whose those with the same have one turn after another */
  readonly paced: (bytes: AsyncIterable<Uint8Array>, whose: string) => AsyncGenerator<Uint8Array, void>;
}

/** With pieces of 64 KiB more than any line takes. */
const PIECES_A_ROUND = 4;

export function createFilePace(piecesARound = PIECES_A_ROUND): FilePace {
  const rounds = createRounds(piecesARound);
  return {
    async *paced(bytes, whose) {
      for await (const piece of bytes) {
        if (!rounds.take()) await new Promise<void>((resolve) => rounds.wait(whose, resolve));
        yield piece;
      }
    },
  };
}
