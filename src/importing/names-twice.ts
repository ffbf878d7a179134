/** Whether a JSON text names a member of an object twice, of which JSON.parse keeps the last without a word. */

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** @param value what JSON.parse made of the text */
export function namesTwice(text: string, value: unknown): boolean {
  return namesIn(text) !== membersOf(value);
}

/** Of members: outside of strings a colon follows each, and no more. */
function namesIn(text: string): number {
  let names = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (character === BACKSLASH) at += 1;
    } else if (character === COLON) names += 1;
  }
  return names;
}

/** Without recursion: the depth is the sender's choice. */
function membersOf(root: unknown): number {
  let members = 0;
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== 'object') continue;
    const children: unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += children.length;
    for (const child of children) open.push(child);
  }
  return members;
}
