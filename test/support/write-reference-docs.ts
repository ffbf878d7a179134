/** `npm run docs:limits`: writes docs/limits.md and docs/errors.md. A test holds them to be current. */
import { writeFileSync } from 'node:fs';
import { errorsDocs, limitsDocs } from './reference-docs.ts';

writeFileSync(new URL('../../docs/limits.md', import.meta.url), limitsDocs());
writeFileSync(new URL('../../docs/errors.md', import.meta.url), errorsDocs());
