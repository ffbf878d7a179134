/** The page on running it is true: its backup and restore, as written, twice, beside a server that goes on. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ask } from '../support/fleet.ts';
import { projectRoot } from '../support/project-root.ts';
import { serveMarket, type ServedMarket } from '../support/served-market.ts';
import { BOURSE } from '../support/shipped-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const TRIAL = { agent: 'invoice-matcher', brief: 'Match.', metadata: { costCentre: 'FIN-7' } };

describe('The backup of docs/operations.md', () => {
  let folder: TempFolder;
  let market: ServedMarket | undefined;
  let key: string;

  before(async function () {
    this.timeout(240_000);
    if (!(await hasSqlite())) {
      process.stdout.write('      skipped: sqlite3 is not installed, and a backup needs it\n');
      this.skip();
    }
    folder = await tempFolder();
    market = await serveMarket({ DATA_DIR: folder.file('data') });
    key = String(/^ {2}(brs_ak_\w+)$/m.exec(market.printed())?.[1]);
  });
  after(async () => {
    await market?.stop();
    await folder?.remove();
  });

  it('is made on the first day and on the second, checked, and put back as it was', async function () {
    this.timeout(180_000);
    const backup = await blocksBelow('Back up');
    expect(backup, 'to make it, and to check it').to.have.length(2);
    const first = await buy();
    expect(await bash(backup.join('\n'))).to.match(
      /Every part of the log holds\.[^]*Every line, chain, sum and cap holds\./,
    );
    const second = await buy();
    expect(await bash(backup.join('\n'))).to.match(
      /Every part of the log holds\.[^]*Every line, chain, sum and cap holds\./,
    );
    expect(await readdir(folder.file('backup'))).to.have.length(2);

    const lost = await buy();
    expect(await market?.stop()).to.equal(0);
    await bash((await blocksBelow('Restore')).join('\n'));
    market = await serveMarket({ DATA_DIR: folder.file('data') }, 'Its facts are in');
    await until('the views are built', async () => (await get('/readyz')).status === 200, 60_000);

    for (const id of [first, second]) {
      const job = await get(`/v1/jobs/${id}`);
      expect(job.status, id).to.equal(200);
      expect(JSON.parse(await job.text()).data, 'what the buyer wrote').to.deep.include({
        metadata: TRIAL.metadata,
      });
    }
    expect((await get(`/v1/jobs/${lost}`)).status, 'what was bought after the backup').to.equal(404);
  });

  const get = (path: string): Promise<Response> => ask(`${market?.url}${path}`, key);

  async function buy(): Promise<string> {
    const answer = await ask(`${market?.url}/v1/trials`, key, TRIAL);
    const text = await answer.text();
    expect(answer.status, text).to.equal(201);
    return String(JSON.parse(text).data.id);
  }

  async function bash(script: string): Promise<string> {
    const bourse = `bourse() { ${JSON.stringify(process.execPath)} ${JSON.stringify(BOURSE)} "$@"; }`;
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `${bourse}\n${script}`], {
      cwd: folder.path,
      env: { ...process.env, LOG_LEVEL: 'warn' },
    });
    return stdout;
  }

  async function blocksBelow(heading: string): Promise<readonly string[]> {
    const page = await readFile(join(projectRoot, 'docs/operations.md'), 'utf8');
    const [, section = ''] = new RegExp(`^## ${heading}$(.*?)^## `, 'ms').exec(page) ?? [];
    return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
  }
});

async function hasSqlite(): Promise<boolean> {
  return run('sqlite3', ['--version']).then(
    () => true,
    () => false,
  );
}
