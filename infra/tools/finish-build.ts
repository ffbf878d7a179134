/** Completes dist/ after tsc: copies what is not TypeScript, and removes what no longer has a source. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const DIST = 'dist';
const FOLDERS_WITH_ASSETS = ['src', 'infra'];
/** Read by developers and by whoever runs the service, never by the service. */
const NOT_SERVED = ['tools', 'docker', 'kubernetes'].map((folder) => join('infra', folder));
const COMMAND = join(DIST, 'src', 'cli', 'bourse.js');

for (const folder of FOLDERS_WITH_ASSETS) {
  for (const file of filesUnder(folder)) {
    if (!file.endsWith('.ts') && !isNotServed(file)) copy(file, join(DIST, file));
  }
}
for (const file of filesUnder(DIST)) {
  const source = file.slice(DIST.length + 1);
  const isLive = existsSync(source) || existsSync(source.replace(/\.js(\.map)?$/, '.ts'));
  if (!isLive || isNotServed(source)) rmSync(file);
}
if (existsSync(COMMAND)) chmodSync(COMMAND, 0o755);

function isNotServed(file: string): boolean {
  return NOT_SERVED.some((folder) => file.startsWith(folder + sep));
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
