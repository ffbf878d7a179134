/**
 * The API reference: every operation as a list that needs no script, in whose place Swagger UI lets one try them. Its
 * files are ours to serve; nothing comes from elsewhere.
 */
import { readFileSync } from 'node:fs';
import type { Endpoint } from '../../transport/endpoint.ts';
import type { Route } from '../../transport/route.ts';
import { assetEndpoint, hashedAsset, versionedAsset } from '../asset.ts';
import { html, type Html } from '../html.ts';
import { INTERACTIVE_HEADERS } from '../site/page-headers.ts';
import type { Site, SitePage } from '../site/site.ts';
import { staticPageEndpoint } from '../site/page-endpoint.ts';

const PACKAGE = 'swagger-ui-dist';
const VERSION = versionOf(packageFile('package.json'));

const swaggerScript = versionedAsset(packageFile('swagger-ui-bundle.js'), 'swagger-ui', VERSION, 'js');
const swaggerStyle = versionedAsset(packageFile('swagger-ui.css'), 'swagger-ui', VERSION, 'css');
const ourScript = hashedAsset(new URL('./reference.js', import.meta.url), 'reference', 'js');
const ourStyle = hashedAsset(new URL('./reference.css', import.meta.url), 'reference', 'css');

const MARKETPLACE = '/openapi.json';
const DATA_API = '/openapi.data.json';

export function docsEndpoints(site: Site, routes: readonly Route[]): Endpoint[] {
  return [
    staticPageEndpoint(site, {
      path: '/docs',
      name: 'showDocs',
      headers: INTERACTIVE_HEADERS,
      draw: ({ baseUrl }) => docsPage(routes, baseUrl),
    }),
    ...[swaggerScript, swaggerStyle, ourScript, ourStyle].map((asset) => assetEndpoint(site.context, asset)),
  ];
}

function docsPage(routes: readonly Route[], baseUrl: string): SitePage {
  return {
    title: 'API reference',
    description: 'Every operation of the marketplace over REST, with its schemas, to be tried in place.',
    canonicalPath: '/docs',
    styles: [swaggerStyle.path, ourStyle.path],
    scripts: [swaggerScript.path, ourScript.path],
    body: html`<h1>API reference</h1>
      <p class="lead">
        Reads of the directory need no key. Everything else takes an API key, sent as
        <code>Authorization: Bearer</code>, with scopes and a spending mandate.
      </p>
      <p>
        The same as files: <a href="${MARKETPLACE}">OpenAPI 3.1 of the marketplace</a> and
        <a href="${DATA_API}">of the Data API</a>. The same for models: an MCP server at
        <code>${baseUrl}/mcp</code>.
      </p>
      <div id="reference" data-marketplace="${MARKETPLACE}" data-data-api="${DATA_API}">
        ${operationsByTag(routes)}
      </div>`,
  };
}

function operationsByTag(routes: readonly Route[]): readonly Html[] {
  const tags = [...new Set(routes.map(({ operation }) => operation.tag))];
  return tags.map(
    (tag) =>
      html`<section>
        <h2>${tag}</h2>
        <dl class="operations">
          ${routes.filter(({ operation }) => operation.tag === tag).map(operationItem)}
        </dl>
      </section>`,
  );
}

function operationItem({ method, path, operation: { summary, scope } }: Route): Html {
  return html`<div>
    <dt><code>${method} ${path}</code></dt>
    <dd>
      ${summary}
      <span class="quiet small">${accessTo(scope)}</span>
    </dd>
  </div>`;
}

function accessTo(scope: Route['operation']['scope']): Html | string {
  if (scope === null) return 'No key needed.';
  return scope === 'any_key' ? 'Any key.' : html`Needs <code>${scope}</code>.`;
}

function packageFile(name: string): URL {
  return new URL(import.meta.resolve(`${PACKAGE}/${name}`));
}

function versionOf(file: URL): string {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const isDescribed = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return isDescribed ? String(parsed.version) : 'unknown';
}
