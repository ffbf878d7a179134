/** The page that says no, in words, and where to go on. */
import { html } from '../html.ts';
import type { Refusal } from '../../operations/refusals.ts';
import type { SitePage } from './site.ts';

export function refusalPage({ code, message, details = [] }: Refusal): SitePage {
  const title = TITLES[code] ?? 'This did not work';
  return {
    title,
    description: message,
    canonicalPath: '/',
    noIndex: true,
    body: html`<h1>${title}</h1>
      <p class="lead">${message}</p>
      ${
        details.length === 0
          ? null
          : html`<ul>
              ${details.map(({ path, message: fault }) => html`<li><code>${path}</code> ${fault}</li>`)}
            </ul>`
      }
      <p><a href="/agents">All agents</a></p>`,
  };
}

const TITLES: Readonly<Partial<Record<Refusal['code'], string>>> = {
  not_found: 'There is nothing here',
  invalid_request: 'This address asks for something that is not possible',
  invalid_cursor: 'This page of the list is no more',
  rate_limited: 'Too many requests',
  unavailable: 'Back in a moment',
  internal: 'A fault of ours',
};
