/** `npm run openapi`: writes the description of the API as the service would serve it. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiText } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

writeFileSync(fileURLToPath(new URL('../../openapi.json', import.meta.url)), openApiText(routes));
