/** What waits, by whose it is: each in turn has one taken, and its own come in the order in which they were put there. */
export interface Rotation<Item> {
  readonly put: (whose: string, item: Item) => void;
  /** Undefined where nothing waits. */
  readonly take: () => Item | undefined;
}

export function createRotation<Item>(): Rotation<Item> {
  /** Whoever comes first has the next turn. */
  const lines = new Map<string, Item[]>();
  return {
    put(whose, item) {
      const line = lines.get(whose);
      if (line === undefined) lines.set(whose, [item]);
      else line.push(item);
    },
    take() {
      for (const [whose, line] of lines) {
        const item = line.shift();
        lines.delete(whose);
        if (line.length > 0) lines.set(whose, line);
        return item;
      }
      return undefined;
    },
  };
}

/** What shares the event loop with everybody else: so much goes on in each of its rounds, and the rest waits by turns. */
export interface Rounds {
  /** Whether one more may go on in this round; whoever is told so goes on at once. */
  readonly take: () => boolean;
  /** Goes on in a later round. @param whose those with the same have one turn after another */
  readonly wait: (whose: string, goOn: () => void) => void;
}

export function createRounds(perRound: number): Rounds {
  const waiting = createRotation<() => void>();
  let left = perRound;

  function beginRound(): void {
    left = perRound;
    for (let goOn = waiting.take(); goOn !== undefined; goOn = left > 0 ? waiting.take() : undefined) {
      take();
      goOn();
    }
  }
  function take(): boolean {
    if (left === 0) return false;
    if (left === perRound) setImmediate(beginRound);
    left -= 1;
    return true;
  }
  return { take, wait: (whose, goOn) => waiting.put(whose, goOn) };
}
