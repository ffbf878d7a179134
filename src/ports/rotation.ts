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
