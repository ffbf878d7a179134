/**
 * Looks over a YAML text before it is parsed: the parser recurses into what is nested and remembers all it meets, so
 * that a small hostile file could take the whole memory. One pass over the tokens, without recursion.
 */
import { Lexer } from 'yaml';

const MAX_DEPTH = 32;
/** Of lists, maps and entries in all; a file of the largest size that means something has a tenth of it. */
const MAX_PARTS = 100_000;
const MAX_WRONG_ESCAPES = 100;
/** What may stand behind a backslash in double quotes (YAML 1.2, 5.7). */
const ESCAPED = '0abt\tnvfre "/\\N_LPxuU\r\n';
/** The lexer's mark before the text of a scalar. */
const SCALAR = '\u001f';

/** What is too much in the text; null when it may be parsed. */
export function boundsFault(text: string): string | null {
  let flowDepth = 0;
  let lineDepth = 0;
  let parts = 0;
  let wrongEscapes = 0;
  let last = '';
  for (const token of new Lexer().lex(text)) {
    const isText = last === SCALAR;
    last = token;
    if (isText) continue;
    if (token === '[' || token === '{') flowDepth += 1;
    else if (token === ']' || token === '}') flowDepth -= 1;
    else if (token.startsWith('"')) wrongEscapes += countWrongEscapes(token);
    else if (token === '-' || token === '?') lineDepth += 1;
    else if (token === '\n') lineDepth = 0;
    else if (isIndentation(token)) lineDepth = Math.max(lineDepth, token.length / 2 - MAX_DEPTH);
    if (token === '[' || token === '{' || token === '-' || token === ':') parts += 1;
    if (flowDepth > MAX_DEPTH || lineDepth > MAX_DEPTH)
      return `the file is nested deeper than ${MAX_DEPTH} levels`;
    if (flowDepth < 0) return 'a bracket is closed that was not opened';
    if (wrongEscapes > MAX_WRONG_ESCAPES) return `more than ${MAX_WRONG_ESCAPES} escapes mean nothing`;
    if (parts > MAX_PARTS) return `the file has more than ${MAX_PARTS} entries`;
  }
  return null;
}

/** The parser makes an error of each, which takes it longer than the rest of the file. */
function countWrongEscapes(quoted: string): number {
  return quoted.match(/\\[^]/g)?.filter(([, after = '']) => !ESCAPED.includes(after)).length ?? 0;
}

/** Each level of block nesting is indented by one space at least, and usually by two. */
function isIndentation(token: string): boolean {
  return token.length > MAX_DEPTH && /^ +$/.test(token);
}
