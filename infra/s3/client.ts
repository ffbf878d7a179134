/** The connection to S3: patient, but not for ever. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Of another server than Amazon's; it is asked with the bucket in the path, which all of them understand. */
  readonly endpoint?: string | undefined;
  /** By default those that the SDK finds: environment, shared files, the role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** For tests, which have no time. */
  readonly timeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** For one request, a part of a file included, until its answer begins; and for silence within an answer. */
const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 3;
/** A slow download holds one: with the SDK's 50, so many slow readers would stop all uploads. */
const MAX_SOCKETS = 512;

export function openClient({ region, endpoint, credentials, timeoutMs = TIMEOUT_MS }: S3Options): S3Client {
  const config: S3ClientConfig = {
    region,
    maxAttempts: MAX_ATTEMPTS,
    // Every body is covered by its signature already; other servers than Amazon's choke on more checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  };
  if (endpoint !== undefined) Object.assign(config, { endpoint, forcePathStyle: true });
  if (credentials !== undefined) config.credentials = credentials;
  return new S3Client(config);
}
