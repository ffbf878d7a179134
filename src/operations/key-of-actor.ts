/** The key that an actor of an event is; null for everybody else: the command line, a link, a reaction. */
export function keyOfActor(actor: string): string | null {
  return actor.startsWith('key:') ? actor.slice('key:'.length) : null;
}
