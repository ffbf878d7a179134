/** The bundles: their list, and each version with the manifest its files can be checked by. */
import type { BundleDocument, BundleSummary } from '../../../projections/bundle-document.ts';
import { getBundle } from '../../operations/directory/get-bundle.ts';
import { listBundles } from '../../operations/directory/list-bundles.ts';
import { bdi, html, type Html } from '../html.ts';
import { bundleJsonLd } from './agent-json-ld.ts';
import { cardHead, choices, listPage } from './list-parts.ts';
import type { Site, SitePage } from './site.ts';
import { pageOver, type Shown } from './page-endpoint.ts';
import { day, plural, spoken } from './words.ts';
import { table } from './table.ts';

const PATH = '/bundles';

export const bundlesPage = pageOver({ path: PATH, operation: listBundles, draw: drawBundles });
export const bundlePage = pageOver({ path: `${PATH}/{slug}`, operation: getBundle, draw: drawBundle });

async function drawBundles(shown: Shown<BundleSummary[]>, { known }: Site): Promise<SitePage> {
  const categories = choices(await known.bundleCategories(), spoken);
  return listPage(shown, {
    path: PATH,
    title: 'Bundles',
    description: 'Skill bundles with manifests that sha256sum alone can check.',
    lead: html`Skills as files, each version with a manifest that <code>sha256sum</code> alone can check.`,
    filters: [{ name: 'category', title: 'Category', choices: categories }],
    noun: ['bundle'],
    cards: bundleCards(shown.data),
  });
}

export function bundleCards(bundles: readonly BundleSummary[]): Html {
  return html`<ul class="cards">
    ${bundles.map(
      ({ slug, name, tagline, agency, version, licence, fileCount }) =>
        html`<li class="card">
          ${cardHead(`/bundles/${slug}`, name, tagline)}
          <p class="more">
            <a href="/agencies/${agency.slug}">${bdi(agency.name)}</a>
            <span>${version}</span><span>${bdi(licence)}</span><span>${plural(fileCount, 'file')}</span>
          </p>
        </li>`,
    )}
  </ul>`;
}

function drawBundle({ data: bundle }: Shown<BundleDocument>, site: Site): SitePage {
  const { slug, name, tagline, description, agency, version, previousVersion, licence, publishedAt } = bundle;
  return {
    title: name,
    description: tagline,
    canonicalPath: `${PATH}/${slug}`,
    markdownPath: `${PATH}/${slug}.md`,
    jsonLd: bundleJsonLd(bundle, site),
    body: html`<p class="crumbs"><a href="/bundles">Bundles</a> / ${bdi(name)}</p>
      <h1 dir="auto">${name}</h1>
      <p class="lead" dir="auto">${tagline}</p>
      <p class="prose" dir="auto">${description}</p>
      <dl class="filters">
        <dt>Version</dt>
        <dd>
          ${version}, ${day(publishedAt)}
          ${
            previousVersion === null
              ? null
              : html`(before: <a href="/bundles/${slug}?version=${previousVersion}">${previousVersion}</a>)`
          }
        </dd>
        <dt>Licence</dt>
        <dd>${bdi(licence)}</dd>
        <dt>Agency</dt>
        <dd><a href="/agencies/${agency.slug}">${bdi(agency.name)}</a></dd>
      </dl>
      <h2>Skills</h2>
      <ul>
        ${bundle.skills.map((skill) => html`<li><strong>${spoken(skill.name)}</strong>: ${bdi(skill.description)}</li>`)}
      </ul>
      ${manifestSection(bundle, site.baseUrl)}`,
  };
}

function manifestSection({ slug, version, manifest }: BundleDocument, baseUrl: string): Html {
  const check = [
    `curl -s '${baseUrl}/v1/bundles/${slug}?version=${version}' \\`,
    String.raw`  | jq -r '.data.manifest.files[] | "\(.sha256)  \(.path)"' | sha256sum --check`,
  ].join('\n');
  return html`<h2>Manifest</h2>
    <p>
      Root hash: <span class="hash">${manifest.rootHash}</span>, the SHA-256 of the lines below. In the folder
      with the files:
    </p>
    <pre tabindex="0"><code>${check}</code></pre>
    ${table(
      'Files',
      `${plural(manifest.files.length, 'file')}, by the bytes of their paths`,
      [{ title: 'Path' }, { title: 'Bytes', isNumber: true }, { title: 'SHA-256' }],
      manifest.files.map(
        ({ path, size, sha256 }) =>
          html`<tr>
            <td>${path}</td>
            <td class="number">${size}</td>
            <td><span class="hash">${sha256}</span></td>
          </tr>`,
      ),
    )}`;
}
