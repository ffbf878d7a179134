/**
 * Texts that others wrote, as a terminal or the log may be given them: what would move the cursor, colour, hide or turn round what
 * stands there is written as its code point.
 */

/** Control characters, those that turn the direction of writing, other ends of lines, and invisible tags. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{e0000}-\u{e007f}]/gu;
const UNSAFE_IN_JSON = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{e0000}-\u{e007f}]/gu;

/** One line. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u{${hexOf(character)}}`);
}

/** JSON text, in lines or as one, which says the same and has its line feeds as before. */
export function printableJson(json: string): string {
  return json.replaceAll(UNSAFE_IN_JSON, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Several lines of ours, such as a stack. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
