/** What the list pages share: the search form, filters that are links, the heads of cards, and the way to the next page. */
import { html, type Html } from '../html.ts';
import type { Shown } from './page-endpoint.ts';
import type { SitePage } from './site.ts';
import { plural } from './words.ts';

interface FilterChoice {
  readonly value: string;
  readonly label: string;
}

interface ListText {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly lead: string | Html;
  readonly filters: readonly Filter[];
  /** What is listed, one and many. */
  readonly noun: readonly [one: string, many?: string];
  readonly cards: Html;
}

interface Filter {
  /** Of the parameter. */
  readonly name: string;
  readonly title: string;
  readonly choices: readonly FilterChoice[];
}

export function listPage(
  { meta, query }: Shown<unknown>,
  { path, title, description, lead, filters, noun, cards }: ListText,
): SitePage {
  const total = Number(meta['total']);
  return {
    title,
    description,
    canonicalPath: path,
    noIndex: query.size > 0,
    body: html`<h1>${title}</h1>
      <p class="lead">${lead}</p>
      ${searchForm(path, query, `Search ${title.toLowerCase()}`)}
      <dl class="filters">
        ${filters.filter(({ choices }) => choices.length > 0).map((filter) => filterRow(path, query, filter))}
      </dl>
      <p class="quiet" role="status">${plural(total, ...noun)}</p>
      ${total === 0 ? nothingFound(query) : cards} ${pageLinks(path, query, meta['nextCursor'])}`,
  };
}

function nothingFound(query: URLSearchParams): Html {
  return query.size === 0
    ? html`<p>Nothing is listed yet.</p>`
    : html`<p>Nothing matches. Take a filter away, or search for fewer words.</p>`;
}

/** Choices that are called as they are, or by `label`. */
export function choices(values: readonly string[], label = (value: string): string => value): FilterChoice[] {
  return values.map((value) => ({ value, label: label(value) }));
}

/** A form that keeps the filters it stands among; a search starts on the first page and in its own order. */
export function searchForm(path: string, query: URLSearchParams, label: string): Html {
  const kept = [...query].filter(([name]) => !['q', 'cursor', 'sort'].includes(name));
  return html`<form class="search" role="search" action="${path}">
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <input
      type="search"
      name="q"
      aria-label="${label}"
      placeholder="${label}"
      value="${query.get('q') ?? ''}"
      maxlength="200"
    />
    <button type="submit">Search</button>
  </form>`;
}

/** One row of filters; the one in force leads back to all. */
function filterRow(path: string, query: URLSearchParams, { name, title, choices }: Filter): Html {
  return html`<dt>${title}</dt>
    <dd>
      <ul class="chips">
        ${choices.map(({ value, label }) => {
          const isOn = query.get(name) === value;
          const href = address(path, query, { [name]: isOn ? null : value, cursor: null });
          return isOn
            ? html`<li>
                <a href="${href}" aria-current="true">${label} <span aria-hidden="true">×</span></a>
              </li>`
            : html`<li><a href="${href}">${label}</a></li>`;
        })}
      </ul>
    </dd>`;
}

/** What a card is about; the name leads to its page. Both texts are somebody's own, in whatever script they write. */
export function cardHead(href: string, name: string, tagline: string): Html {
  return html`<div>
    <h2 class="card-name" dir="auto"><a href="${href}">${name}</a></h2>
    <p dir="auto">${tagline}</p>
  </div>`;
}

function pageLinks(path: string, query: URLSearchParams, nextCursor: unknown): Html | null {
  const isFirst = !query.has('cursor');
  if (typeof nextCursor !== 'string' && isFirst) return null;
  return html`<nav class="pages" aria-label="Pages">
    ${isFirst ? null : html`<a href="${address(path, query, { cursor: null })}">First page</a>`}
    ${
      typeof nextCursor === 'string'
        ? html`<a rel="next" href="${address(path, query, { cursor: nextCursor })}">Next page</a>`
        : null
    }
  </nav>`;
}

/** The address with these parameters changed; null takes one away. */
function address(
  path: string,
  query: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): string {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  const text = changed.toString();
  return text === '' ? path : `${path}?${text}`;
}
