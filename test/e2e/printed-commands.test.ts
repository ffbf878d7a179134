/**
 * Every block of commands that the documents print is run, or it is said why not. Those that no other test runs are run
 * here, by the built program in an empty folder, with the key of the demonstration buyer.
 */
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { namesFrom } from '../attacks/attacked.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { endChild, endWithUs } from '../support/child-processes.ts';
import { ask } from '../support/fleet.ts';
import { listenAnywhere } from '../support/ports.ts';
import { projectRoot } from '../support/project-root.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** By the page and the first words of the block; the tests named run it as it is printed. */
const NOT_RUN_HERE: Readonly<Record<string, string>> = {
  'README.md': 'test/e2e/readme.test.ts walks it',
  'CONTRIBUTING.md': 'it is what CI does',
  'docs/benchmarks.md npm run build': 'it takes 20 minutes; test/bench/bench.ts is what it runs',
  'docs/mcp.md claude mcp add': 'a host of somebody else, which a bare machine does not have',
  'docs/mcp.md gemini mcp add': 'a host of somebody else, which a bare machine does not have',
  'docs/mcp.md npx @modelcontextprotocol/inspector': 'it is fetched from a registry',
  'docs/operations-distributed.md cd infra/docker':
    'it takes Docker; test/infra/deployment.test.ts reads its files',
  'docs/operations-distributed.md docker buildx': 'it takes Docker and a registry of images',
  'docs/operations-distributed.md kubectl apply':
    'it takes a cluster; test/infra/kubernetes.test.ts reads its files',
  'docs/operations-distributed.md for part in':
    'it takes a cluster; test/infra/kubernetes.test.ts reads its files',
  'docs/operations.md docker build': 'it takes Docker; test/infra/deployment.test.ts reads its files',
  'docs/operations.md umask 077': 'test/e2e/backup.test.ts backs up and restores with them',
  'docs/operations.md DATA_DIR="backup': 'test/e2e/backup.test.ts checks its backups with it',
  'docs/operations.md bourse log accept-loss':
    'nothing is lost; test/crash/lost-log.test.ts loses something first',
  'docs/operations.md bourse key correct-period':
    'no clock ran ahead; test/operations/corrected-period.test.ts lets one',
  'docs/operations.md export EVENTSTORE_URL=':
    'it takes EventStoreDB; test/cli/migrate.test.ts moves a log there',
  'docs/operations.md bourse migrate --to':
    'it takes EventStoreDB; test/cli/migrate.test.ts takes a log home',
};
const IMPORTED = '{"id": "tide-table", "name": "Tide Table", "url": "https://tide-table.example/"}\n';
const NOBODY = '127.0.0.1:9';
const run = promisify(execFile);

interface Block {
  readonly page: string;
  readonly commands: string;
}

describe('The commands that the documents print', function () {
  this.timeout(180_000);
  let program: Program;
  let folder: TempFolder;
  let life: Life | undefined;
  let url: string;
  let key: string;
  let blocks: readonly Block[];
  const ran: Block[] = [];

  before(async function () {
    blocks = await printedBlocks();
    if (!(await hasJq())) {
      process.stdout.write('      skipped: jq is not installed, and the commands need it\n');
      this.skip();
    }
    program = await buildProgram();
    folder = await tempFolder();
    life = program.start(settings(), { isSeeded: true });
    const printed = life.printed;
    url = await life.url;
    const shown = (): string | undefined => /^ {2}(brs_ak_\w+)$/m.exec(printed())?.[1];
    await until('the key is shown', () => shown() !== undefined, 60_000);
    key = shown() ?? '';
    const asks = () => fetch(`${url}/v1/key`, { headers: { Authorization: `Bearer ${key}` } });
    await until('the key is known', async () => (await asks()).status === 200, 60_000);
  });
  after(async () => {
    await life?.kill();
    await folder?.remove();
    await program?.remove();
  });

  const settings = () => ({ DATA_DIR: folder.file('data'), ...namesFrom(NOBODY) });

  it('ask the Data API', async () => {
    const answers = await print(await bash(block('docs/data-api.md', 'BASE=')));
    expect(answers).to.have.lengthOf(7);
    for (const { data, error } of answers) {
      expect(error).to.equal(null);
      expect(data).to.not.deep.equal([]);
    }
  });

  it('give an account a plan, show it and end it', async () => {
    const said = await bash(block('docs/data-api.md', 'bourse plan set'));
    expect(
      said.match(/demo-buyer \(acc_\w+\) has .*/g)?.map((line) => line.replace(/^.* has /, '')),
    ).to.deep.equal([
      'the plan pro: 600 requests a minute, 500000 a month.',
      'the plan pro: 600 requests a minute, 500000 a month.',
      'no plan.',
    ]);
  });

  it('fetch an export and compare its digest', async () => {
    await program.run(settings(), ['plan', 'set', 'demo-buyer', 'enterprise']);
    expect(await bash(block('docs/data-api.md', 'curl -s "$BASE/api/v1/export'))).to.match(
      /^tools\.csv: OK$/m,
    );
  });

  it('import rows over HTTP', async () => {
    await writeFile(folder.file('ai-tools.jsonl'), IMPORTED);
    // Most of the demonstration's tools are not in it, which an import of the whole data set says.
    const [{ error }] = await print(await bash(block('docs/importing.md', 'BASE='), { mayFail: true }));
    expect(error?.message).to.match(/more than a fifth/);
    const lines = await readFile(join(projectRoot, 'infra/seeds/catalogue/tools.jsonl'), 'utf8');
    await writeFile(folder.file('ai-tools.jsonl'), lines + IMPORTED);
    const [{ data }] = await print(await bash(block('docs/importing.md', 'BASE=')));
    expect(data).to.have.nested.property('counts.added', 1);
  });

  it('pass on what an account is told', async () => {
    const received: string[] = [];
    const receiver = createServer((req, res) => {
      req.setEncoding('utf8').on('data', (text: string) => received.push(text));
      req.on('end', () => res.writeHead(204).end());
    });
    const forwardTo = `http://localhost:${await listenAnywhere(receiver)}`;
    const script = block('docs/webhooks.md', 'export BOURSE_API_KEY=').replaceAll(
      'http://localhost:3000',
      forwardTo,
    );
    const listener = spawn(
      'bash',
      ['-euo', 'pipefail', '-c', `${preamble()}\n${script.replace(/^bourse /m, 'exec_bourse ')}`],
      {
        cwd: folder.path,
        env: environment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    endWithUs(listener);
    let said = '';
    listener.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await until('it listens', () => said.includes('whsec_'), 60_000);
    const trial = { agent: 'invoice-matcher', brief: 'Match.' };
    expect((await ask(`${url}/v1/trials`, key, trial)).status).to.equal(201);
    await until('it is passed on', () => received.some((text) => text.includes('job.drafted')), 60_000);
    expect(await endChild(listener, 'SIGINT')).to.equal(0);
    await new Promise((resolve) => receiver.close(resolve));
  });

  it('are all run, or it is said why not', () => {
    const silent = blocks.filter((one) => !ran.includes(one) && reasonOf(one) === undefined);
    expect(silent.map(nameOf)).to.deep.equal([]);
    const stale = Object.keys(NOT_RUN_HERE).filter(
      (name) => !blocks.some((one) => nameOf(one).startsWith(name)),
    );
    expect(stale, 'what is printed no more').to.deep.equal([]);
    expect(blocks.length).to.be.above(25);
  });

  /** As it is printed, for this instance. */
  function block(page: string, start: string): string {
    const found = blocks.filter((one) => one.page === page && one.commands.startsWith(start));
    expect(found, `${page}: ${start}`).to.have.lengthOf(1);
    ran.push(...found);
    return found
      .map(({ commands }) => commands)
      .join('')
      .replaceAll('http://localhost:8080', url)
      .replaceAll('brs_ak_…', key);
  }

  async function bash(script: string, { mayFail = false } = {}): Promise<string> {
    // An answer that says no fails a command that does not look at it; one that says "try again" is asked again.
    const curl = mayFail ? '' : 'curl() { command curl -f --retry 5 "$@" && echo; }\n';
    const command = ['-euo', 'pipefail', '-c', `${preamble()}\n${curl}${script}`];
    return (await run('bash', command, { cwd: folder.path, env: environment(), maxBuffer: 1 << 24 })).stdout;
  }

  const environment = () => ({ ...process.env, ...settings(), BASE: url, KEY: key });
  const preamble = () => {
    const bourse = `${JSON.stringify(process.execPath)} ${JSON.stringify(program.path)}`;
    return `bourse() { ${bourse} "$@"; }\nexec_bourse() { exec ${bourse} "$@"; }`;
  };
});

interface Printed {
  readonly data: unknown;
  readonly error: { readonly message: string } | null;
}

/** The answers that were printed, one a line. */
async function print(stdout: string): Promise<readonly [Printed, ...Printed[]]> {
  const [first, ...others] = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Printed => JSON.parse(line));
  if (first === undefined) throw new Error('nothing was printed');
  return [first, ...others];
}

async function printedBlocks(): Promise<readonly Block[]> {
  const docs = (await readdir(join(projectRoot, 'docs'))).filter((name) => name.endsWith('.md'));
  const pages = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)];
  const found = await Promise.all(
    pages.map(async (page) => {
      const text = await readFile(join(projectRoot, page), 'utf8');
      return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => ({ page, commands }));
    }),
  );
  return found.flat();
}

const nameOf = ({ page, commands }: Block): string => `${page} ${commands.split('\n')[0] ?? ''}`;

function reasonOf(block: Block): string | undefined {
  return Object.entries(NOT_RUN_HERE).find(([name]) => nameOf(block).startsWith(name))?.[1];
}

async function hasJq(): Promise<boolean> {
  return run('jq', ['--version']).then(
    () => true,
    () => false,
  );
}
