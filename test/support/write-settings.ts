/** `npm run settings`: writes docs/settings.md from the table of settings. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settingsMarkdown } from '../../src/settings/settings-reference.ts';

writeFileSync(fileURLToPath(new URL('../../docs/settings.md', import.meta.url)), settingsMarkdown());
