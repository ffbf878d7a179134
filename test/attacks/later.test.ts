/** What somebody still holds who comes back later: a link, an order that was read once, a key. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const CLOCK_AHEAD = fileURLToPath(new URL('../support/clock-ahead.cjs', import.meta.url));
const BRIEF = 'Match the invoices of the third quarter.';
const FIRST = 'the secret of this year, long enough';
const SECOND = 'the secret of next year, long enough';

interface Job {
  readonly id: string;
  readonly status?: string;
  readonly brief?: string | null;
  readonly fundingUrl?: string | null;
}

describe('An attacker who comes back later', function () {
  this.timeout(180_000);
  let program: Program;
  let folder: TempFolder;
  let life: Life | undefined;
  let url: string;
  before(async () => (program = await buildProgram()));
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(async () => {
    await life?.kill();
    await folder.remove();
  });
  after(() => program.remove());

  const settings = (): Settings => ({ DATA_DIR: folder.path, LOG_LEVEL: 'error', SIGNING_SECRET: FIRST });
  async function start(more: Settings = {}): Promise<void> {
    await life?.kill();
    life = program.start({ ...settings(), ...more });
    url = await life.url;
  }
  const inDays = (days: number): Settings => ({
    DAYS_AHEAD: String(days),
    NODE_OPTIONS: `--require ${CLOCK_AHEAD}`,
  });
  async function newKey(scopes: string, ...more: string[]): Promise<string> {
    const args = [
      'key',
      'create',
      '--account',
      'acme',
      '--name',
      'test',
      '--scopes',
      scopes,
      ...more,
      '--json',
    ];
    return JSON.parse(await program.run(settings(), args)).key;
  }
  const newBuyer = (...more: string[]): Promise<string> => {
    const caps = ['--allow', 'trial:create', '--max-per-transaction', '100000', '--max-monthly', '1000000'];
    return newKey('trials:create,jobs:read,jobs:cancel', ...caps, ...more);
  };
  const ask = (path: string, key: string, body?: object): Promise<Response> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    return fetch(
      url + path,
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
    );
  };
  async function dataOf<Data>(answer: Promise<Response>): Promise<Data> {
    // As the description has it.
    return ((await (await answer).json()) as { data: Data }).data;
  }
  async function buy(key: string): Promise<URL> {
    await until('the key is known', async () => (await ask('/v1/key', key)).status === 200);
    const { id, fundingUrl } = await dataOf<Job>(
      ask('/v1/trials', key, { agent: 'invoice-matcher', brief: BRIEF }),
    );
    expect(id).to.match(/^job_/);
    return new URL(fundingUrl ?? '');
  }
  const pageOf = async (link: URL): Promise<number> =>
    (await fetch(url + link.pathname + link.search)).status;
  const pay = async (link: URL): Promise<number> => {
    const body = new URLSearchParams({ t: link.searchParams.get('t') ?? '' });
    return (await fetch(`${url}${link.pathname}/pay`, { method: 'POST', body, redirect: 'manual' })).status;
  };

  it('has no use of a link once the secret that signed it was replaced and taken away', async () => {
    await program.run(settings(), ['seed']);
    await start();
    const link = await buy(await newBuyer());
    expect(await pageOf(link)).to.equal(200);

    await start({ SIGNING_SECRET: SECOND, SIGNING_SECRET_BEFORE: FIRST });
    expect(await pageOf(link), 'beside the new one').to.equal(200);

    await start({ SIGNING_SECRET: SECOND });
    expect(await pageOf(link), 'without the old one').to.equal(403);
    expect(await pay(link)).to.equal(403);
  });

  it('reads no order of a job that ended long ago, though it did the job; its owner does', async () => {
    await program.run(settings(), ['seed']);
    await start();
    const owner = await newBuyer();
    const agency = await newKey('provider:fulfil', '--agency', 'ledgerworks');
    const link = await buy(owner);
    const jobId = link.pathname.split('/').at(-1) ?? '';
    const seen = async (): Promise<string | null | undefined> => {
      const jobs = await dataOf<readonly Job[]>(ask('/v1/provider/jobs?limit=100', agency));
      return jobs.find(({ id }) => id === jobId)?.brief;
    };
    expect(await seen(), 'before it is paid').to.equal(null);
    expect(await pay(link)).to.equal(303);
    expect((await ask(`/v1/provider/jobs/${jobId}/start`, agency, {})).status).to.equal(200);
    expect((await ask(`/v1/provider/jobs/${jobId}/complete`, agency, {})).status).to.equal(200);
    expect(await seen()).to.equal(BRIEF);

    await start({ ...inDays(6), ORDER_VISIBLE_DAYS: '7' });
    expect(await seen(), 'after six days').to.equal(BRIEF);
    await start({ ...inDays(8), ORDER_VISIBLE_DAYS: '7' });
    expect(await seen(), 'after eight days').to.equal(null);
    expect((await dataOf<Job>(ask(`/v1/jobs/${jobId}`, owner))).brief).to.equal(BRIEF);
  });

  it('has no use of a key that has ended, and pays no draft that is over', async () => {
    await program.run(settings(), ['seed']);
    await start();
    const ends = new Date(Date.now() + 24 * 60 * 60 * 1_000).toISOString();
    const key = await newBuyer('--key-expires', ends);
    const another = await newBuyer();
    const link = await buy(key);
    await start(inDays(2));
    expect((await ask('/v1/jobs', key)).status).to.equal(401);
    expect((await ask('/v1/trials', key, { agent: 'invoice-matcher', brief: BRIEF })).status).to.equal(401);
    await pay(link);
    const { status } = await dataOf<Job>(ask(`/v1/jobs/${link.pathname.split('/').at(-1)}`, another));
    expect(status).to.be.oneOf(['draft', 'expired']);
  });
});
