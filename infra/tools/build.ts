/** Makes dist/, the program that is shipped: `npm run build`. */
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { PROGRAMS } from './programs.ts';

await bundle(fileURLToPath(new URL('../../dist', import.meta.url)), { programs: PROGRAMS });
