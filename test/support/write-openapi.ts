/** `npm run openapi`: writes the descriptions of both APIs as the service would serve them. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { descriptions } from '../../src/http/openapi/descriptions.ts';
import { openApiText } from '../../src/http/openapi/document.ts';
import { routes } from '../../src/http/routes.ts';

for (const { file, includes, info } of descriptions) {
  const place = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  writeFileSync(place, openApiText(routes.filter(includes), info));
}
