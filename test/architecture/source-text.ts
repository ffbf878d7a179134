/** Just enough of a TypeScript lexer to find imports and calls without mistaking a comment or a text for code. */

export interface Source {
  /** The code: comments and texts blanked, each string literal replaced by `"n"`, its index in `strings`. */
  readonly code: string;
  readonly strings: readonly string[];
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
/** The text of a template up to its end or its next hole. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
/** What stands before a slash that begins a regular expression rather than divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of|await|yield|throw|void))$/;

/** Line breaks are kept, so that an offset in `code` still tells the line. */
export function readSource(text: string): Source {
  const strings: string[] = [];
  const holes: number[] = [];
  let code = '';
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    const endsHole = char === '}' && holes.at(-1) === depth;
    let token = char;
    if (char === '`' || endsHole) {
      token += match(TEMPLATE, text, at + 1);
      const opensHole = token.endsWith('${');
      if (endsHole) holes.pop();
      if (opensHole) holes.push(depth);
      const whole = !opensHole && !endsHole;
      code += whole ? keep(strings, token) : `${endsHole ? ')' : ''}${blank(token)}${opensHole ? '(' : ''}`;
    } else if (char === "'" || char === '"') {
      token = match(STRING, text, at) || char;
      code += keep(strings, token);
    } else if (char === '/') {
      const regex = BEFORE_REGEX.test(code.trimEnd()) ? match(REGEX, text, at) : '';
      token = match(COMMENT, text, at) || regex || char;
      code += token === char ? char : blank(token);
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      code += char;
    }
    at += token.length;
  }
  return { code, strings };
}

export function lineAt(code: string, offset: number): number {
  return code.slice(0, offset).split('\n').length;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function keep(strings: string[], literal: string): string {
  return `"${strings.push(literal.slice(1, -1)) - 1}"${literal.replace(/[^\n]/g, '')}`;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
