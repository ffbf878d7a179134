/**
 * The canonical texts of the data and meta that this process has made events of. An event's id, its hash and its place
 * in the log are all made of the same text, which is a good part of what an append costs.
 */
import { canonicalJson } from './canonical-json.ts';

const texts = new WeakMap<object, string>();

/** The RFC 8785 text of what nobody changes any more, kept for as long as the object is. @throws as canonicalJson */
export function sealText(part: object): string {
  const text = canonicalJson(part);
  texts.set(part, text);
  return text;
}

/** What {@link sealText} gave for this very object. */
export function sealedText(part: object): string | undefined {
  return texts.get(part);
}
