/** Addresses that somebody gives us, to link to or to post to. */
import type { z } from 'zod';
import { webAddress } from '../../../events/texts.ts';

const MAX_CHARS = 2_000;

/**
 * Kept as the parser writes it: what a browser would leave out or read otherwise (tabs, line feeds, turned writing,
 * another notation of a name) stands in no page and on no terminal. Nobody's password is shown to everybody.
 */
export function keptAsParsed(address: z.ZodURL): z.ZodURL {
  return address
    .refine((text) => !holdsCredentials(text), 'must not hold a user name or a password')
    .refine(
      (text) => asParsed(text).length <= MAX_CHARS,
      `must have at most ${MAX_CHARS} characters when encoded`,
    )
    .overwrite(asParsed);
}

export const linkAddress = keptAsParsed(webAddress);

function holdsCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}

/** What is no address is left to the check that says so. */
function asParsed(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}
