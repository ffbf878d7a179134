/** One stored event for each type and version that was ever written: what today's program must still read. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const FIXTURES_FOLDER = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** `MandateGranted@1`: the name of an event's fixture. */
export function fixtureName(type: string, version: number): string {
  return `${type}@${version}`;
}

/** The data of every fixture by its name. */
export function readFixtures(): ReadonlyMap<string, object> {
  const files = readdirSync(FIXTURES_FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file): [string, object] => {
      const text = readFileSync(`${FIXTURES_FOLDER}${file}`, 'utf8');
      // Written by write-fixtures.ts; decoding it is what the test is about.
      return [file.slice(0, -'.json'.length), JSON.parse(text) as object];
    }),
  );
}
