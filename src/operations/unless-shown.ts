/** Two witnesses: what the log says is not there, while a view shows it, is no answer for anybody. */
import { LogContradiction } from '../../events/event-store.ts';
import type { Projection } from '../../projections/projection.ts';
import type { ViewStore } from '../../projections/view-store.ts';

/**
 * To be awaited before something is said not to exist.
 * @throws {LogContradiction} the view has it: the log was read at a bad moment, or has lost it
 */
export async function unlessShown(
  views: Pick<ViewStore, 'getJson'>,
  { name }: Pick<Projection<unknown, never>, 'name'>,
  key: string,
): Promise<void> {
  if ((await views.getJson(name, key)) !== undefined)
    throw new LogContradiction(`the view ${name} shows ${key}, and the log has no such stream`);
}
