/** That there is a market to work on: a mistyped DATA_DIR is to be said, not to become another market. */
import { existsSync } from 'node:fs';
import { StoreUnavailable } from '../../events/event-store.ts';
import { logFileIn } from '../composition/engines.ts';
import { logPlaceOf } from '../composition/log-place.ts';
import type { Config } from '../settings/config.ts';

/** @throws {StoreUnavailable} the embedded log is not there */
export function assertMarket(config: Config): void {
  const place = logPlaceOf(config);
  if (place.kind !== 'sqlite' || existsSync(logFileIn(place.dataDir))) return;
  throw new StoreUnavailable(
    `there is no market in ${place.dataDir}: is DATA_DIR right? The first start of bourse serve makes it`,
  );
}
