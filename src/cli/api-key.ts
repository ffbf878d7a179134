/** The API key of a command that asks an instance as its clients do. */
import { createReadStream } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { apiKeyInEnvironment } from '../settings/config.ts';
import { WrongUsage } from './exit.ts';

export interface GivenKey {
  readonly key?: string;
  readonly keyFile?: string;
}

const MAX_KEY_FILE_BYTES = 1_024;

/** @throws {WrongUsage} the key is where others can read it, or is nowhere */
export async function apiKeyGiven({ key, keyFile }: GivenKey): Promise<string | undefined> {
  if (key !== undefined)
    throw new WrongUsage(
      'every user of this machine can read a key on the command line: set BOURSE_API_KEY, or name a file with --key-file',
    );
  if (keyFile === undefined) return apiKeyInEnvironment();
  const text = await firstBytes(keyFile).catch((error: unknown) => {
    throw new WrongUsage(`${keyFile} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  const found = text.trim();
  if (found === '' || found.length > MAX_KEY_FILE_BYTES || /\s/.test(found))
    throw new WrongUsage(`${keyFile} must hold one API key and nothing else`);
  return found;
}

/** One more than a key may have. It may come from a pipe; of a device without an end no more is read. */
function firstBytes(file: string): Promise<string> {
  return textOf(createReadStream(file, { end: MAX_KEY_FILE_BYTES }));
}
