/** The first start, broken off: nothing is lost, nothing is there twice, and the key is shown once it is made. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.ts';
import { openLogAt } from '../../src/composition/engines.ts';
import { MAIN } from '../support/shipped-program.ts';
import { serveMarket } from '../support/served-market.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('a first start that is told to stop while it seeds', () => {
  let folder: TempFolder;
  before(async () => (folder = await tempFolder()));
  after(() => folder.remove());

  /** Looks at the log beside the process that writes it. */
  async function withHead<Result>(look: (head: () => Promise<number>) => Promise<Result>): Promise<Result> {
    const dataDir = folder.file('data');
    const { events, close } = await openLogAt({ kind: 'sqlite', dataDir }, readConfig({ DATA_DIR: dataDir }));
    try {
      return await look(async () => Number(await events.head()));
    } finally {
      await close();
    }
  }

  it('finishes what is in flight, ends with 0, and the next start goes on with it', async () => {
    const settings = { DATA_DIR: folder.file('data'), LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...settings, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await withHead((head) => until('it has begun to seed', async () => (await head()) > 50));
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    const stoppedAt = await withHead((head) => head());

    expect([code, printed]).to.deep.equal([
      0,
      'Stopped while it was being seeded: the next start goes on with it.\n',
    ]);
    const market = await serveMarket(settings);
    expect(market.printed()).to.match(/ {2}brs_ak_\w+\n/);
    expect(await market.stop()).to.equal(0);
    expect(await withHead((head) => head())).to.be.greaterThan(stoppedAt);
  }).timeout(90_000);
});
