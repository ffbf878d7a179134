/** Who fetches one file beside somebody with a hundred connections is through before them: turns are by whose they are. */
import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { linkedArtifactSchema } from '../../src/operations/artifacts/artifact-schema.ts';
import { createFolderBlobs } from '../../infra/folder/blobs.ts';
import { type JobApi, startJobApi } from '../support/job-flows.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const MANY = 100;
const FILE = randomBytes(2 * 1_024 * 1_024);

describe('A file beside a hundred', function () {
  this.timeout(120_000);
  let api: JobApi;
  let folder: TempFolder;
  before(async () => {
    folder = await tempFolder();
    const blobs = createFolderBlobs(folder.path);
    api = await startJobApi({ trustProxyHops: 1, services: { blobs } });
  });
  after(async () => {
    await api.close();
    await folder.remove();
  });

  it('is there before the most of them', async () => {
    const jobId = await api.jobIn('running');
    await api.send('PUT', `/v1/provider/jobs/${jobId}/artifacts/large.bin`, {
      key: api.agency.key,
      rawBody: FILE,
    });
    const { data } = (await api.get(`/v1/jobs/${jobId}/artifacts`, api.buyer)).body;
    const [file] = z.array(linkedArtifactSchema).parse(data);
    const path = file?.url.slice('http://market.test'.length) ?? '';

    let ended = 0;
    const begun: Promise<void>[] = [];
    /** Resolves to the bytes that came. */
    const fetchFrom = (address: string): Promise<number> =>
      new Promise((resolve, reject) => {
        begun.push(
          new Promise((hasBegun) => {
            const headers = { 'X-Forwarded-For': address };
            get(api.url + path, { headers, agent: false }, (res) => {
              let bytes = 0;
              res.on('data', (chunk: Buffer) => {
                bytes += chunk.length;
                hasBegun();
              });
              res.on('error', reject).on('end', () => resolve(bytes));
            }).on('error', reject);
          }),
        );
      });
    const many = Array.from({ length: MANY }, async () => {
      const bytes = await fetchFrom('192.0.2.1');
      ended += 1;
      return bytes;
    });
    await Promise.all(begun);
    expect(await fetchFrom('192.0.2.2')).to.equal(FILE.length);
    expect(ended).to.be.below(MANY / 2);
    for (const bytes of await Promise.all(many)) expect(bytes).to.equal(FILE.length);
  });
});
