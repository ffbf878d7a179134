/** A table in a part of the page that scrolls by itself, so that a wide one widens nothing else. */
import { html, type Html } from '../html.ts';

export interface Column {
  readonly title: string;
  /** Whether its cells are numbers, which end at one edge. */
  readonly isNumber?: true;
}

/** @param label by which the part is announced; `rows` are its `<tr>`s */
export function table(
  label: string,
  caption: string,
  columns: readonly Column[],
  rows: readonly Html[],
): Html {
  return html`<section class="scroll" tabindex="0" aria-label="${label}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ title, isNumber }) =>
            isNumber
              ? html`<th scope="col" class="number">${title}</th>`
              : html`<th scope="col">${title}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`;
}
