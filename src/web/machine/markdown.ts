/** Markdown whose insertions are text: nothing in a listing can become a heading, a link, an image or HTML. */

/** One line of text with everything that Markdown or HTML would read as markup escaped. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]#|~<>&]/g, (character) => HTML_ENTITIES[character] ?? `\\${character}`)
    .replaceAll(/\bhttps?:/gi, (scheme) => scheme.replace(':', '&#58;'));
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/** A link to an address of ours or of a listing; the address cannot end the link early. */
export function link(text: string, url: string): string {
  return `[${plain(text)}](<${url.replaceAll(/[<>\s\\]/g, (character) => encodeURIComponent(character))}>)`;
}

/** Lines that are there, joined; paragraphs are separated by an empty string. */
export function lines(...parts: readonly (string | null | readonly string[])[]): string {
  return `${parts
    .flatMap((part) => part ?? [])
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')}\n`;
}
