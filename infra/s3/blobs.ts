/**
 * The Blobs port in a bucket of S3, or of a server that speaks its protocol. A blob is an object that is there whole
 * or not at all: small ones in one request, larger ones in parts that become visible together or are given up.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type Blobs, BlobsUnavailable, type PutResult } from '../../src/ports/blobs.ts';
import { giveUpOldUploads } from './abandoned-uploads.ts';
import { checkBytes, type Fate } from './checked-bytes.ts';
import { openClient, type S3Options } from './client.ts';

/** All objects of ours, so that a bucket can be shared. */
export const PREFIX = 'artifacts/';
/** The least that S3 takes. Two of them at most are in memory for one upload. */
const PART_BYTES = 5 * 1024 * 1024;
const KEY = /^[a-z0-9_]{8,80}$/;

interface Place {
  readonly client: S3Client;
  readonly bucket: string;
}

export function createS3Blobs(options: S3Options): Blobs {
  const place: Place = { client: openClient(options), bucket: options.bucket };
  let ready: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    ready ??= reach(place, giveUpOldUploads(place.client, place.bucket, PREFIX, Date.now()));
    await ready.catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
  };

  return {
    async put(key, bytes, limits) {
      const object = objectOf(place, key);
      await prepare();
      const checked = checkBytes(bytes, limits);
      const token = randomUUID();
      try {
        await send(place, object, Readable.from(checked.bytes), token);
      } catch (error) {
        const fate = checked.fate();
        if (fate.kind === 'refused') return fate.result;
        if (fate.kind === 'broken') throw fate.error;
        // With all bytes sent, the request may have worked although its answer was lost.
        if (fate.kind === 'passing' || !(await isStored(place, object, token)))
          throw putFailure(place, error);
      }
      return storedResult(checked.fate());
    },
    async open(key, first, last) {
      const command = new GetObjectCommand({ ...objectOf(place, key), Range: `bytes=${first}-${last}` });
      const answer = await place.client.send(command).catch((error: unknown) => {
        if (isNamed(error, 'NoSuchKey')) return null;
        if (isNamed(error, 'InvalidRange')) return 'beyond';
        throw unavailable(place, error);
      });
      if (answer === null) return null;
      if (answer === 'beyond') return Readable.from([]);
      if (!(answer.Body instanceof Readable)) throw new Error('the SDK gave no stream of Node');
      return answer.Body;
    },
    async remove(key) {
      await reach(place, place.client.send(new DeleteObjectCommand(objectOf(place, key))));
    },
  };
}

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

function objectOf({ bucket }: Place, key: string): ObjectName {
  if (!KEY.test(key)) throw new RangeError('a blob has a key of lower-case letters, digits and _');
  return { Bucket: bucket, Key: PREFIX + key };
}

/** One part after the other: a part that is still under way when its upload is given up might stay behind. */
async function send({ client }: Place, object: ObjectName, body: Readable, token: string): Promise<void> {
  const upload = new Upload({
    client,
    params: { ...object, Body: body, IfNoneMatch: '*', Metadata: { upload: token } },
    partSize: PART_BYTES,
    queueSize: 1,
  });
  try {
    await upload.done();
  } finally {
    body.destroy();
  }
}

/** Whether the object is the one that was sent under this token, whatever its answer said. */
async function isStored(place: Place, object: ObjectName, token: string): Promise<boolean> {
  try {
    const { Metadata } = await place.client.send(new HeadObjectCommand(object));
    return Metadata?.['upload'] === token;
  } catch (error) {
    if (isNamed(error, 'NotFound')) return false;
    throw unavailable(place, error);
  }
}

function storedResult(fate: Fate): PutResult {
  if (fate.kind !== 'whole') throw new Error(`an upload ended well though its bytes are ${fate.kind}`);
  return { kind: 'stored', blob: fate.blob };
}

function putFailure(place: Place, error: unknown): Error {
  return isNamed(error, 'PreconditionFailed')
    ? new Error('a blob of this key is there already', { cause: error })
    : unavailable(place, error);
}

async function reach<T>(place: Place, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailable(place, error);
  }
}

/** In an error of our own: a reset connection to the bucket must not look as if the sender had gone away. */
function unavailable({ bucket }: Place, cause: unknown): BlobsUnavailable {
  const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new BlobsUnavailable(`the bucket ${bucket} cannot be used (${why})`, { cause });
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name;
}
