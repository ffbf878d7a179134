/** Reading one document of a view. */
import type { Projection } from '../../projections/projection.ts';
import type { ViewStore } from '../../projections/view-store.ts';

type Named<Doc> = Pick<Projection<Doc, never>, 'name' | 'schema'>;

export async function readView<Doc>(
  views: ViewStore,
  { name }: Named<Doc>,
  key: string,
): Promise<Doc | undefined> {
  const json = await views.getJson(name, key);
  return json === undefined ? undefined : parseDocument<Doc>(json);
}

/** The projection wrote this text from a document of its own schema; nothing else writes to its view. */
export function parseDocument<Doc>(json: string): Doc {
  return JSON.parse(json) as Doc;
}
