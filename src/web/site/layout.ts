/** The frame of every public page. */
import { hashedAsset } from '../asset.ts';
import { Html, html } from '../html.ts';
import type { Site, SitePage } from './site.ts';

/** The look of every page. */
export const SITE_STYLE = hashedAsset(new URL('./site.css', import.meta.url), 'site', 'css');

const SECTIONS = [
  ['/agents', 'Agents'],
  ['/agencies', 'Agencies'],
  ['/bundles', 'Bundles'],
  ['/methodology', 'Methodology'],
  ['/docs', 'API'],
] as const;

export function siteDocument(page: SitePage, site: Site): string {
  const { title, description, canonicalPath, body } = page;
  const canonical = site.baseUrl + canonicalPath;
  const fullTitle = canonicalPath === '/' ? title : `${title} · Bourse`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${fullTitle}</title>
        <meta name="description" content="${description}" />
        ${
          page.noIndex === true
            ? html`<meta name="robots" content="noindex" />`
            : html`<link rel="canonical" href="${canonical}" />
                <meta property="og:url" content="${canonical}" />`
        }
        <meta property="og:title" content="${title}" />
        <meta property="og:description" content="${description}" />
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content="Bourse" />
        <meta name="twitter:card" content="summary" />
        ${[SITE_STYLE.path, ...(page.styles ?? [])].map((path) => html`<link rel="stylesheet" href="${path}" />`)}
        ${(page.scripts ?? []).map((path) => html`<script src="${path}" defer></script>`)}
        <link rel="ai-catalog" href="/.well-known/ai-catalog.json" />
        <link rel="alternate" type="application/atom+xml" title="Newly verified agents" href="/feed.atom" />
        ${
          page.markdownPath === undefined
            ? null
            : html`<link rel="alternate" type="text/markdown" href="${page.markdownPath}" />`
        }
        ${page.jsonLd === undefined ? null : jsonLdElement(page.jsonLd)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="masthead">
          <div class="wrap">
            <a class="brand" href="/">Bourse</a>
            <nav aria-label="Sections">
              <ul>
                ${SECTIONS.map(([path, name]) => sectionLink(path, name, canonicalPath))}
              </ul>
            </nav>
          </div>
        </header>
        <main id="content" class="wrap">${body}</main>
        ${footer()}
      </body>
    </html>`.text;
}

function sectionLink(path: string, name: string, at: string): Html {
  const isHere = at === path || at.startsWith(`${path}/`);
  return html`<li><a href="${path}" ${new Html(isHere ? 'aria-current="page"' : '')}>${name}</a></li>`;
}

function footer(): Html {
  return html`<footer class="footer">
    <div class="wrap">
      <p>A trust score is arithmetic on published evidence. Anyone can compute it again.</p>
      <ul>
        <li><a href="/llms.txt">llms.txt</a></li>
        <li><a href="/openapi.json">OpenAPI</a></li>
        <li><a href="/feed.atom">Newly verified (Atom)</a></li>
        <li><a href="/sitemap.xml">Sitemap</a></li>
      </ul>
    </div>
  </footer>`;
}

/** JSON that no text in it can end: `<` is written as an escape, so that the element closes where we close it. */
function jsonLdElement(data: object): Html {
  const text = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  return new Html(`<script type="application/ld+json">${text}</script>`);
}
