/** The README is true: its command blocks are run in order against a server started as it says. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { engineSets, type RunningEngines, withEngines } from '../support/engine-sets.ts';
import { projectRoot } from '../support/project-root.ts';
import { serveMarket, type ServedMarket } from '../support/served-market.ts';
import { BOURSE } from '../support/shipped-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);

/** What a reader does in another way: install and start, paste the key, run the tests. */
const NOT_RUN = [/^npm ci && npm start$/, /^export KEY=/, /^npm test$/];

for (const engines of engineSets) {
  withEngines(`README on ${engines.name}`, engines, (start) => {
    let folder: TempFolder;
    let running: RunningEngines;
    let market: ServedMarket;

    before(async function () {
      this.timeout(180_000);
      if (!(await hasJq())) {
        process.stdout.write('      skipped: jq is not installed, and the README’s commands need it\n');
        this.skip();
      }
      folder = await tempFolder();
      running = await start();
      market = await serveMarket(running.settings);
    });
    after(async () => {
      const exitCode = await market?.stop();
      await running?.close();
      await folder?.remove();
      expect(exitCode).to.be.oneOf([0, undefined]);
    });

    it('starts for the first time without a complaint', () => {
      expect(market.printed()).to.not.match(/"level":"(warn|error)"/);
    });

    it('walks the whole path with the commands as they are printed', async function () {
      this.timeout(180_000);
      const key = /^ {2}(brs_ak_\w+)$/m.exec(market.printed())?.[1];
      expect(key, 'the demonstration key').to.be.a('string');
      const { stdout } = await bash([preamble(String(key)), ...(await commandBlocks())].join('\n'));

      const answers = [
        '"draft"',
        '"funded"',
        '"running"',
        '"completed"',
        '"spentThisPeriodCents": 1900',
        'alderworks/alder-2',
      ];
      let from = 0;
      for (const answer of answers) {
        const at = stdout.indexOf(answer, from);
        expect(at, `${answer} in order in:\n${stdout}`).to.be.at.least(0);
        from = at;
      }
      expect(stdout).to.contain('Chain, sums and caps hold.');
      expect(JSON.parse(stdout.slice(stdout.lastIndexOf('\n{')))).to.deep.equal({
        verified: true,
        mandate: null,
      });
    });

    it('shows the answer that the first curl gives', async () => {
      const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
      const [, shown] = /^(\{"data":\{"slug":"invoice-matcher".*?), …\}/m.exec(readme) ?? [];
      const answer = await fetch(`${market.url}/v1/agents/invoice-matcher`);
      expect((await answer.text()).startsWith(String(shown))).to.equal(true);
    });

    it('prints a curl that works as printed', async () => {
      const curl = /^ {2}curl .*?'$(?=\n|$)/ms.exec(market.printed())?.[0];
      const { stdout } = await bash(String(curl));
      expect(JSON.parse(stdout)).to.have.nested.property('data.status', 'draft');
    });

    async function bash(script: string): Promise<{ stdout: string }> {
      const env = { ...process.env, ...market.env };
      return run('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder.path,
        env,
        maxBuffer: 1 << 24,
      });
    }

    async function commandBlocks(): Promise<readonly string[]> {
      const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
      const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
      return blocks
        .filter((block) => !NOT_RUN.some((pattern) => pattern.test(block.split('\n')[0] ?? '')))
        .map((block) => block.replaceAll('http://localhost:8080', market.url));
    }

    /** `npx bourse` is the built command. */
    function preamble(key: string): string {
      const [node, bourse] = [process.execPath, BOURSE].map((path) => JSON.stringify(path));
      return `export KEY=${key}\nnpx() { (shift; ${node} ${bourse} "$@"); }`;
    }
  });
}

async function hasJq(): Promise<boolean> {
  return run('jq', ['--version']).then(
    () => true,
    () => false,
  );
}
