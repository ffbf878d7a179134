/**
 * Run by hand (`npx tsx test/events/write-fixtures.ts`) when an event is new or has a new version: keeps its example as
 * a fixture. A fixture that is there is never touched: the program has to read it for ever. Only while no release has
 * written that version may the file be removed and written anew.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { eventCatalog } from '../../events/catalog.ts';
import { fixtureName, FIXTURES_FOLDER } from './fixtures.ts';

for (const { type, version, example } of eventCatalog) {
  const file = `${FIXTURES_FOLDER}${fixtureName(type, version)}.json`;
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(example, null, 2)}\n`);
}
