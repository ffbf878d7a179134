/** Where a log can be, and where the settings say that it is. */
import type { Config, SharedEngine } from '../settings/config.ts';

export type LogPlace =
  | { readonly kind: 'sqlite'; readonly dataDir: string }
  | ({ readonly kind: 'eventstoredb' } & SharedEngine);

export function logPlaceOf({ eventStore, dataDir }: Pick<Config, 'eventStore' | 'dataDir'>): LogPlace {
  return eventStore === undefined ? { kind: 'sqlite', dataDir } : { kind: 'eventstoredb', ...eventStore };
}
