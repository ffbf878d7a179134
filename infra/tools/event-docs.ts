/** Writes docs/events.md from the catalogue: `npm run docs:events`. A test holds the file to be current. */
import { writeFileSync } from 'node:fs';
import { eventDocs } from './event-docs-text.ts';

writeFileSync(new URL('../../docs/events.md', import.meta.url), eventDocs());
