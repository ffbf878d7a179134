/** Fetches the next item while one is worked on: never more than one. */
export async function* ahead<Item>(items: AsyncGenerator<Item, void>): AsyncGenerator<Item, void> {
  const fetch = (): ReturnType<typeof items.next> => {
    const next = items.next();
    // Whoever stops before it is asked for does not want to know why it failed.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = fetch(); ;) {
      const { done, value } = await next;
      if (done === true) return;
      next = fetch();
      yield value;
    }
  } finally {
    await items.return();
  }
}
