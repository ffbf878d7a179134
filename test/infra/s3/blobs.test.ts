/** What the contract cannot see: files in several parts, memory, and a server that fails in the midst of things. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { giveUpOldUploads } from '../../../infra/s3/abandoned-uploads.ts';
import { createS3Blobs, PREFIX } from '../../../infra/s3/blobs.ts';
import { type Blobs, BlobsUnavailable } from '../../../src/ports/blobs.ts';
import { listenAnywhere } from '../../support/ports.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type S3Server, startS3, withS3 } from '../../support/s3-server.ts';

const MIB = 1024 * 1024;
const LIMITS = { maxBytes: 100 * MIB, sha256: null };
const newKey = (): string => `art_${randomUUID().replaceAll('-', '')}`;

withS3('S3 blobs of several parts', severalParts);

setFlagsFromString('--expose-gc');
/** With the flag, each new context has the collector under this name. */
const collectGarbage = runInNewContext('gc') as () => void;

/** What is still held: garbage would count until it happened to be collected. */
function bytesInUse(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

function severalParts(): void {
  let server: S3Server;
  let blobs: Blobs;
  before(async () => {
    server = await startS3();
    blobs = createS3Blobs(server.options);
  });
  after(() => server.close());

  it('are stored whole and read across the seams', async () => {
    const [key, bytes] = [newKey(), randomBytes(12 * MIB + 7)];
    const result = await blobs.put(key, inChunks(bytes, 65_537), LIMITS);
    if (result.kind !== 'stored') throw new Error(result.kind);
    expect(result.blob.sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
    const seam = 5 * MIB;
    expect((await read(blobs, key, seam - 3, seam + 2)).equals(bytes.subarray(seam - 3, seam + 3))).to.equal(
      true,
    );
    expect((await read(blobs, key, 0, bytes.length - 1)).equals(bytes)).to.equal(true);
  });

  it('leave nothing when they break off late', async () => {
    async function* broken(): AsyncIterable<Uint8Array> {
      yield* inChunks(randomBytes(11 * MIB), 65_536);
      throw new Error('the sender went away');
    }
    const before = await server.contents();
    const [gone, large, other] = [newKey(), newKey(), newKey()];
    expect(await rejectionOf(blobs.put(gone, broken(), LIMITS))).to.have.property(
      'message',
      'the sender went away',
    );
    const eleven = randomBytes(11 * MIB);
    const least = { ...LIMITS, maxBytes: eleven.length - 1 };
    expect(await blobs.put(large, inChunks(eleven, 65_536), least)).to.deep.equal({ kind: 'too_large' });
    const announced = { ...LIMITS, sha256: '0'.repeat(64) };
    expect((await blobs.put(other, inChunks(eleven, 65_536), announced)).kind).to.equal('other_bytes');
    expect(await server.contents()).to.deep.equal(before);
  });

  it('never take more memory than a few parts', async () => {
    const chunk = Buffer.alloc(256 * 1024, 7);
    const base = bytesInUse();
    let most = 0;
    async function* large(): AsyncIterable<Uint8Array> {
      for (let sent = 0; sent < 64 * MIB; sent += chunk.length) {
        if (sent % (4 * MIB) === 0) most = Math.max(most, bytesInUse() - base);
        yield Buffer.from(chunk);
      }
    }
    expect((await blobs.put(newKey(), large(), LIMITS)).kind).to.equal('stored');
    expect(most).to.be.below(32 * MIB);
  });

  it('are given up at the start only where they are old and ours', async () => {
    const { client, options } = server;
    const uploadOf = (Key: string) =>
      client.send(new CreateMultipartUploadCommand({ Bucket: options.bucket, Key }));
    await uploadOf(`${PREFIX}art_of_somebody_dead`);
    await uploadOf('others/file');
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
    // By the server's clock, which need not be ours.
    const nowMs = Math.max(...Uploads.map(({ Initiated }) => Initiated?.getTime() ?? Number.NaN));
    await giveUpOldUploads(client, options.bucket, PREFIX, nowMs);
    expect(await server.contents()).to.include(`upload of ${PREFIX}art_of_somebody_dead`);
    await giveUpOldUploads(client, options.bucket, PREFIX, nowMs + 2 * 60 * 60 * 1_000);
    expect((await server.contents()).filter((name) => name.startsWith('upload of '))).to.deep.equal([
      'upload of others/file',
    ]);
  });

  it('are beyond the end empty, and unavailable without their bucket', async () => {
    const key = newKey();
    await blobs.put(key, inChunks(Buffer.from('abc'), 3), LIMITS);
    expect((await read(blobs, key, 3, 9)).length).to.equal(0);
    const astray = createS3Blobs({ ...server.options, bucket: 'bourse-test-no-such-bucket' });
    for (const work of [
      () => astray.open(key, 0, 1),
      () => astray.put(key, inChunks(Buffer.from('a'), 1), LIMITS),
    ]) {
      expect(await rejectionOf(work())).to.be.instanceOf(BlobsUnavailable);
    }
  });
}

describe('S3 blobs in trouble', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });
  const blobsOn = async (listener: RequestListener): Promise<Blobs> => {
    server = createServer((req, res) => {
      if (req.method === 'GET' && req.url?.includes('uploads')) res.end(NO_UPLOADS);
      else listener(req, res);
    });
    const port = await listenAnywhere(server);
    return createS3Blobs({
      bucket: 'bucket',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
      timeoutMs: 300,
    });
  };
  const abc = () => inChunks(Buffer.from('abc'), 3);

  it('say so in an error of the port, which no reset connection shows through', async () => {
    const blobs = await blobsOn((req) => req.socket.destroy());
    for (const work of [
      () => blobs.put(newKey(), abc(), LIMITS),
      () => blobs.open(newKey(), 0, 1),
      () => blobs.remove(newKey()),
    ]) {
      const error = await rejectionOf(work());
      expect(error).to.be.instanceOf(BlobsUnavailable).and.not.to.have.property('code');
    }
  });

  it('wait for no server that is silent', async () => {
    const blobs = await blobsOn(() => {});
    expect(await rejectionOf(blobs.open(newKey(), 0, 1))).to.be.instanceOf(BlobsUnavailable);
  });

  it('end a download that falls silent half-way', async () => {
    const blobs = await blobsOn((_, res) => {
      res.writeHead(206, { 'Content-Length': '10', 'Content-Range': 'bytes 0-9/10' });
      res.write('01234');
    });
    expect(await rejectionOf(read(blobs, newKey(), 0, 9))).to.be.instanceOf(Error);
  });

  it('find what was stored although its answer was lost', async () => {
    let token: string | undefined;
    const blobs = await blobsOn((req, res) => {
      if (req.method === 'HEAD') res.writeHead(200, { 'x-amz-meta-upload': token ?? '' }).end();
      else if (token !== undefined) res.writeHead(412).end(PRECONDITION_FAILED);
      else void drained(req).then(() => ((token = tokenOf(req)), req.socket.destroy()));
    });
    expect((await blobs.put(newKey(), abc(), LIMITS)).kind).to.equal('stored');
    expect(token).to.match(/^[0-9a-f-]{36}$/);
  });

  it('replace nothing that another upload stored', async () => {
    const blobs = await blobsOn((req, res) => {
      if (req.method === 'HEAD') res.writeHead(200, { 'x-amz-meta-upload': 'another' }).end();
      else void drained(req).then(() => res.writeHead(412).end(PRECONDITION_FAILED));
    });
    const error = await rejectionOf(blobs.put(newKey(), abc(), LIMITS));
    expect(error).to.have.property('message', 'a blob of this key is there already');
  });

  it('sign the bytes themselves, so that the server checks them', async () => {
    let signed: string | undefined;
    const blobs = await blobsOn((req, res) => {
      signed = String(req.headers['x-amz-content-sha256']);
      void drained(req).then(() => res.setHeader('ETag', '"e"').end());
    });
    await blobs.put(newKey(), abc(), LIMITS);
    expect(signed).to.equal(createHash('sha256').update('abc').digest('hex'));
  });
});

const NO_UPLOADS =
  '<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>';
const PRECONDITION_FAILED = '<Error><Code>PreconditionFailed</Code><Message>there</Message></Error>';

function tokenOf(req: IncomingMessage): string {
  return String(req.headers['x-amz-meta-upload']);
}

async function drained(req: IncomingMessage): Promise<void> {
  for await (const _ of req);
}

async function read(blobs: Blobs, key: string, first: number, last: number): Promise<Buffer> {
  const bytes = await blobs.open(key, first, last);
  if (bytes === null) throw new Error('it is not there');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inChunks(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
