/** Whether the file of the views is where it was opened: looked at now and then, so that a read pays nothing for it. */
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { displacement, openFiles } from './open-files.ts';

const LOOK_EVERY_MS = 250;

export interface WatchedPlace {
  /** @throws {ViewsUnavailable} the file was removed or replaced: what is read there is not fed any more */
  readonly assertInPlace: () => void;
  readonly close: () => void;
}

/** @param path of a database that was just opened and read */
export function watchedPlace(path: string): WatchedPlace {
  const files = openFiles(path);
  let displaced: string | null = null;
  const look = (): void => {
    displaced = displacement(files);
  };
  // It alone does not keep the process alive.
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    assertInPlace() {
      if (displaced !== null) throw new ViewsUnavailable(displaced);
    },
    close: () => clearInterval(timer),
  };
}
