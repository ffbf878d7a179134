/** The bytes of an upload as they pass, which fail where there are too many or others than were announced. */
import { createHash } from 'node:crypto';
import { UnreadableSource } from '../../importing/source-row.ts';
import type { Upload } from '../operation.ts';

export class UploadTooLarge extends Error {
  override readonly name = 'UploadTooLarge';
}

/** The sender went away before all bytes had come. */
export class UploadCutShort extends Error {
  override readonly name = 'UploadCutShort';
}

/**
 * @param sha256 as announced, in hexadecimal; null where it was not
 * @throws {UploadTooLarge}
 * @throws {UploadCutShort}
 * @throws {UnreadableSource} the bytes are not those that were announced
 */
export async function* checkedUpload(
  { bytes, sizeBytes }: Upload,
  maxBytes: number,
  sha256: string | null,
): AsyncGenerator<Uint8Array, void> {
  if ((sizeBytes ?? 0) > maxBytes) throw new UploadTooLarge();
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of tellingCuts(bytes)) {
    length += chunk.length;
    if (length > maxBytes) throw new UploadTooLarge();
    if (sha256 !== null) hash.update(chunk);
    yield chunk;
  }
  const found = sha256 === null ? null : hash.digest('hex');
  if (found !== sha256)
    throw new UnreadableSource(`its bytes are not those of X-Content-SHA256: they have ${found}`);
}

async function* tellingCuts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      throw new UploadCutShort('the body ended before its time', { cause: error });
    throw error;
  }
}
