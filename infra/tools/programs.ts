/** The programs that are shipped, by their names in dist/: `npm start`, and the command for everything else. */
export const PROGRAMS = { main: 'src/main.ts', bourse: 'src/cli/bourse.ts' };
