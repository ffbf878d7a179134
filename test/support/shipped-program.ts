/**
 * The program as it is shipped, made once for all tests of this process, which run node with it. From TypeScript each
 * start would compute for two seconds.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildProgram } from './built-program.ts';

const { path } = await buildProgram();
process.once('exit', () => rmSync(dirname(path), { recursive: true, force: true }));

/** The command line. */
export const BOURSE = path;
/** What `npm start` runs. */
export const MAIN = join(dirname(path), 'main.js');
