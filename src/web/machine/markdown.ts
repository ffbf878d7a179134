/** Markdown whose insertions are text: nothing in a listing can become a heading, a link, an image or HTML. */

/** One line of text with everything that Markdown or HTML would read as markup escaped, bare addresses included. */
export function plain(text: string): string {
  return wellFormed(text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]#|~<>&]/g, (character) => HTML_ENTITIES[character] ?? `\\${character}`)
    .replaceAll('://', '&#58;//')
    .replaceAll(/\bwww\./gi, (found) => found.replace('.', '&#46;'))
    .replaceAll('@', '&#64;')
    .replace(/^(\d+)(?=[.)])/, '$1\\')
    .replace(/^(?=[-+=])/, '\\');
}

/** Half of a surrogate pair says nothing, and cannot be encoded. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\u{fffd}');
}

/** Its paragraphs, each as one such line. */
export function paragraphs(text: string): string[] {
  return text.split(/\n\s*\n/).flatMap((paragraph) => [plain(paragraph), '']);
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };

/** A link to an address of ours or of a listing; the address cannot end the link early. */
export function link(text: string, url: string): string {
  return `[${plain(text)}](<${wellFormed(url).replaceAll(/[<>\s\\]/g, (character) => encodeURIComponent(character))}>)`;
}

/** Lines that are there, joined; paragraphs are separated by an empty string. */
export function lines(...parts: readonly (string | null | readonly string[])[]): string {
  return `${parts
    .flatMap((part) => part ?? [])
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')}\n`;
}
