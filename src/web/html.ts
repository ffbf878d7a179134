/** Markup whose insertions are escaped unless they are markup themselves. */

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Insertion = string | number | Html | readonly Html[] | null;

/** A template tag: html`<p>${name}</p>` is safe in text and in quoted attributes, whatever the name is. */
export function html(parts: TemplateStringsArray, ...insertions: readonly Insertion[]): Html {
  const inserted = insertions.map((insertion, index) => markup(insertion) + (parts[index + 1] ?? ''));
  return new Html((parts[0] ?? '') + inserted.join(''));
}

/** The same for XML, which has no place for some characters that texts may hold, however they are written. */
export function xml(parts: TemplateStringsArray, ...insertions: readonly Insertion[]): Html {
  return new Html(html(parts, ...insertions).text.replaceAll(NOT_XML, '\u{fffd}'));
}

/** Half of a pair, and the two that are no characters (XML 1.0 §2.2). */
const NOT_XML = /[\p{Cs}\ufffe\uffff]/gu;

/** A text within a sentence of ours: whichever way it is written, what follows it keeps its own. */
export function bdi(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

function markup(insertion: Insertion): string {
  if (insertion === null) return '';
  if (insertion instanceof Html) return insertion.text;
  if (typeof insertion === 'object') return insertion.map(({ text }) => text).join('');
  return String(insertion).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
