/** Makes dist/, the program that is shipped: `npm run build`. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { PROGRAMS } from './programs.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

await bundle(DIST, { programs: PROGRAMS });
await chmod(join(DIST, 'bourse.js'), 0o755);
