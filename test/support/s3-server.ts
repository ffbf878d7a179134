/**
 * A server that speaks S3, for tests: the one that `BOURSE_TEST_S3_ENDPOINT` names, or gofakes3 where it is on the
 * PATH (`go install github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0`), in memory, on a port of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { S3Options } from '../../infra/s3/client.ts';
import { endChild, endWithUs } from './child-processes.ts';
import { defineUnless } from './untested.ts';

export interface S3Server {
  /** What the adapter needs to know, a bucket of this test's own included. */
  readonly options: S3Options;
  readonly client: S3Client;
  /** Keys of objects and, marked as such, of uploads that were neither completed nor given up. */
  readonly contents: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

const BINARY = 'gofakes3';
const START_DEADLINE_MS = 60_000;
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test-secret' };
const endpointOfUser = process.env['BOURSE_TEST_S3_ENDPOINT'];

/** Defines the tests, or says on standard error and in the report why there are none. */
export function withS3(what: string, define: () => void): void {
  defineUnless(whyNoS3(), what, define);
}

function whyNoS3(): string | null {
  if (endpointOfUser) return null;
  const { error } = spawnSync(BINARY, ['-help'], { stdio: 'ignore' });
  return error === undefined ? null : `neither BOURSE_TEST_S3_ENDPOINT is set nor ${BINARY} on the PATH`;
}

export async function startS3(): Promise<S3Server> {
  const { endpoint, credentials, stop }: Endpoint = endpointOfUser
    ? { endpoint: endpointOfUser, credentials: undefined, stop: async () => {} }
    : await startFake();
  const region = process.env['AWS_REGION'] || 'us-east-1';
  const bucket = `bourse-test-${process.pid}-${Date.now()}`;
  const options: S3Options = { bucket, region, endpoint, ...(credentials && { credentials }) };
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle: true,
    ...(credentials && { credentials }),
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));

  const uploads = async () => {
    const listed = client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    // gofakes3 says so of a bucket without any.
    const page = await listed.catch((error: unknown) => {
      if (error instanceof S3ServiceException && error.name === 'NoSuchUpload') return null;
      throw error;
    });
    return page?.Uploads ?? [];
  };
  const objects = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? [];
  return {
    options,
    client,
    contents: async () => [
      ...(await objects()).map(({ Key }) => String(Key)),
      ...(await uploads()).map(({ Key }) => `upload of ${Key}`),
    ],
    async close() {
      try {
        if (endpointOfUser) await empty(client, bucket, await objects(), await uploads());
      } finally {
        client.destroy();
        await stop();
      }
    },
  };
}

type Named = readonly { readonly Key?: string | undefined; readonly UploadId?: string | undefined }[];

async function empty(client: S3Client, bucket: string, objects: Named, uploads: Named): Promise<void> {
  for (const { Key, UploadId } of uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
  }
  for (const { Key } of objects) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
}

interface Endpoint {
  readonly endpoint: string;
  /** By default those of the environment. */
  readonly credentials: typeof CREDENTIALS | undefined;
  readonly stop: () => Promise<void>;
}

async function startFake(): Promise<Endpoint> {
  const child = spawn(BINARY, ['-backend', 'memory', '-host', '127.0.0.1:0', '-quiet'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithUs(child);
  const port = await new Promise<string>((resolve, reject) => {
    let output = '';
    const late = setTimeout(() => reject(new Error(`${BINARY}: ${output}`)), START_DEADLINE_MS);
    child.once('exit', (code) => reject(new Error(`${BINARY} ended with ${code}: ${output}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /using port: (\d+)/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    credentials: CREDENTIALS,
    stop: async () => void (await endChild(child, 'SIGTERM')),
  };
}
