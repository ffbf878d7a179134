/** Where a log is, as it is typed: `sqlite:<data folder>` or the address of EventStoreDB. */
import { resolve } from 'node:path';
import { eventStoreAt, WrongSetting } from '../settings/config.ts';
import type { LogPlace } from '../composition/log-place.ts';

const SQLITE = 'sqlite:';

/** A commander parser. @throws {WrongSetting} which does not repeat what was typed: a password may be in it */
export function parseLogPlace(text: string): LogPlace {
  if (text.startsWith(SQLITE) && text.length > SQLITE.length)
    return { kind: 'sqlite', dataDir: text.slice(SQLITE.length) };
  if (/^esdb(\+discover)?:\/\/\S+$/.test(text)) return { kind: 'eventstoredb', ...eventStoreAt(text) };
  throw new WrongSetting(
    '--to and --from must be sqlite:<data folder> or an address such as esdb://<host>:2113',
  );
}

export function isSamePlace(one: LogPlace, other: LogPlace): boolean {
  if (one.kind === 'sqlite')
    return other.kind === 'sqlite' && resolve(one.dataDir) === resolve(other.dataDir);
  return other.kind === 'eventstoredb' && one.url === other.url && one.prefix === other.prefix;
}
