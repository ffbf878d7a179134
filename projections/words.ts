/**
 * How texts become the words of a search. Documents and questions go through the same function, so that they meet:
 * letters and digits of any script, lower case, without accents.
 */
import type { WordBands } from './view-store.ts';

const MAX_WORD_LENGTH = 40;
const MAX_WORDS = 1_000;

/** The distinct words of a text, in order. */
export function wordsOf(text: string): readonly string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return [...new Set((folded.match(/[\p{L}\p{N}]+/gu) ?? []).map(bounded))];
}

/** Names sort without regard to case and accents, as a reader expects. */
export function sortableName(name: string): string {
  return wordsOf(name).join(' ');
}

/** Each word of the texts in the first band it occurs in: the first text, the second, all others. */
export function wordBands(texts: readonly string[]): WordBands {
  const seen = new Set<string>();
  const fresh = (text: string): string[] => {
    const words = wordsOf(text)
      .filter((word) => !seen.has(word))
      .slice(0, MAX_WORDS - seen.size);
    for (const word of words) seen.add(word);
    return words;
  };
  return [fresh(texts[0] ?? ''), fresh(texts[1] ?? ''), fresh(texts.slice(2).join('\n'))];
}

function bounded(word: string): string {
  return word.length > MAX_WORD_LENGTH ? Array.from(word).slice(0, MAX_WORD_LENGTH).join('') : word;
}
