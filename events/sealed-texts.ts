/**
 * The canonical texts of the data and meta that this process has made events of. An event's id, its hash and its place
 * in the log are all made of the same text, which is a good part of what an append costs.
 */
import { hasHalfCharacter, orderedJson } from './canonical-json.ts';

const texts = new WeakMap<object, string>();

/**
 * The text of what nobody changes any more, as orderedJson has it; kept for as long as the object is where it is also
 * the RFC 8785 text. Half a surrogate pair has none: older programs let it in, and it goes from their events into new ones.
 * @throws as orderedJson
 */
export function sealText(part: object): string {
  const text = orderedJson(part);
  if (!hasHalfCharacter(text)) texts.set(part, text);
  return text;
}

/** The RFC 8785 text of this very object, where {@link sealText} has kept it. */
export function sealedText(part: object): string | undefined {
  return texts.get(part);
}
