/** The secret that signs addresses when no SIGNING_SECRET is set: made once, and kept in the data folder. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'signing-secret';
const SECRET_BYTES = 32;
/** As for SIGNING_SECRET itself. */
const MIN_LENGTH = 32;

/** The secret cannot be read or made; the message says why and what would be right. */
export class UnusableSecret extends Error {
  override readonly name = 'UnusableSecret';
}

/**
 * The kept secret; two processes that start at once on an empty folder agree on one.
 * @throws {UnusableSecret}
 */
export function keptSigningSecret(dataDir: string): string {
  const path = join(dataDir, FILE);
  try {
    return readSecret(path) ?? makeSecret(dataDir, path);
  } catch (error) {
    if (error instanceof UnusableSecret) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UnusableSecret(`the signing secret cannot be kept (${why}): set SIGNING_SECRET`);
  }
}

/** Whether the secret is still kept there: where it is not, the next start makes another and voids every address. */
export function isSecretKept(dataDir: string, secret: string): boolean {
  try {
    return readSecret(join(dataDir, FILE)) === secret;
  } catch {
    return false;
  }
}

function makeSecret(dataDir: string, path: string): string {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, { mode: 0o600 });
  try {
    // A link appears whole or not at all, and never replaces what another process made meanwhile.
    linkSync(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readSecret(path);
  if (secret === undefined) throw new UnusableSecret(`${path} was made and cannot be read`);
  return secret;
}

function readSecret(path: string): string | undefined {
  try {
    const secret = readFileSync(path, 'utf8').trim();
    if (secret.length < MIN_LENGTH)
      throw new UnusableSecret(
        `${path} is damaged: it must hold at least ${MIN_LENGTH} characters. Put it back, or delete it, and links that were signed before are void`,
      );
    return secret;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
