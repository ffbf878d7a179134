import { ViewsUnavailable } from './view-store.ts';

/**
 * The projection wrote this text from a document of its own schema; nothing else writes to its view.
 * @throws {ViewsUnavailable} it is not what was written
 */
export function parseDocument<Doc>(json: string): Doc {
  try {
    return JSON.parse(json) as Doc;
  } catch (error) {
    throw new ViewsUnavailable('a document of the views is damaged, its text is no JSON: build them anew', {
      cause: error,
    });
  }
}
