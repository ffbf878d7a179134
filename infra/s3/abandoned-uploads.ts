/** Uploads in parts whose process died: they show nowhere, and are paid for until somebody gives them up. */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';

/** No upload takes so long: what is older belongs to nobody. */
const MAX_AGE_MS = 60 * 60 * 1_000;
/** Of 1,000 uploads; what is left over is found at the next start. */
const MAX_PAGES = 10;

export async function giveUpOldUploads(
  client: S3Client,
  bucket: string,
  prefix: string,
  nowMs: number,
): Promise<void> {
  const oldest = nowMs - MAX_AGE_MS;
  for await (const { Key, UploadId, Initiated } of uploadsUnder(client, bucket, prefix)) {
    if (Initiated === undefined || Initiated.getTime() >= oldest) continue;
    const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId });
    await client.send(command).catch(onlyIfGone);
  }
}

/** Another process of ours was faster; and some servers say it of a bucket without any upload. */
function onlyIfGone(error: unknown): null {
  if (error instanceof S3ServiceException && error.name === 'NoSuchUpload') return null;
  throw error;
}

type Page = ListMultipartUploadsCommandOutput;

async function* uploadsUnder(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<NonNullable<Page['Uploads']>[number]> {
  let marker: Pick<Page, 'KeyMarker' | 'UploadIdMarker'> = {};
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker });
    const page: Page | null = await client.send(command).catch(onlyIfGone);
    if (page === null) return;
    yield* page.Uploads ?? [];
    if (page.IsTruncated !== true) return;
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
