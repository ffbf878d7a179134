/**
 * Files and lists of lines that are sent at once share the event loop with everybody else: in each of its rounds a few pieces go, and the
 * others wait for the next. A line that takes all would have hundreds of pieces in one round. Who fetches many files has
 * no more turns than who fetches one.
 */
import { createRounds } from '../ports/rotation.ts';
import { clientKey } from '../transport/client-address.ts';
import type { Exchange } from '../transport/exchange.ts';

export interface FilePace {
  /** The same pieces, each in its turn. @param whose those with the same have one turn after another */
  readonly paced: <Piece>(pieces: AsyncIterable<Piece>, whose: string) => AsyncGenerator<Piece, void>;
}

/** With pieces of 64 KiB more than any line takes. */
const PIECES_A_ROUND = 4;

export function createFilePace(piecesARound = PIECES_A_ROUND): FilePace {
  const rounds = createRounds(piecesARound);
  return {
    async *paced(pieces, whose) {
      for await (const piece of pieces) {
        if (!rounds.take()) await new Promise<void>((resolve) => rounds.wait(whose, resolve));
        yield piece;
      }
    },
  };
}

/** The account where a key was sent, which may have many addresses; else the address. */
export function whose({ accountId, context, req }: Exchange): string {
  return accountId ?? clientKey(req, context.trustProxyHops);
}
