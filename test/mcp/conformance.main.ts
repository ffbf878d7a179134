/**
 * The official conformance suite against the real program, seeded and local. It wants Node 22, which comes from npm as
 * the suite does. Scenarios that ask for what this server does not have stand in the two lists beside this file, with
 * the reasons in docs/mcp.md; the suite fails for any other, and for one that stands there and passes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serveMarket } from '../support/served-market.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NODE = 'node@22.23.3';

interface Suite {
  readonly version: string;
  readonly options: string;
  readonly notApplying: string;
}

/** The newest release knows the revisions up to 2025-11-25; for 2026-07-28 there are previews only. */
const SUITES: readonly Suite[] = [
  { version: '0.1.16', options: '', notApplying: 'test/mcp/conformance-handshake.yml' },
  {
    version: '0.2.0-alpha.12',
    options: '--spec-version 2026-07-28',
    notApplying: 'test/mcp/conformance-stateless.yml',
  },
];

const folder = await tempFolder();
// Every message of MCP counts against the limit on public reads, and the suites send hundreds in a minute.
const market = await serveMarket({ DATA_DIR: folder.path, PUBLIC_RATE_LIMIT: '100000' });
try {
  for (const suite of SUITES) {
    const code = await run(suite);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  await market.stop();
  await folder.remove();
}

async function run({ version, options, notApplying }: Suite): Promise<unknown> {
  const where = `--url ${market.url}/mcp -o ${folder.file(`results-${version}`)}`;
  const command = `conformance server ${where} --suite all ${options} --expected-failures ${notApplying}`;
  const suite = `@modelcontextprotocol/conformance@${version}`;
  const running = spawn('npx', ['-y', '-p', NODE, '-p', suite, '-c', command], { stdio: 'inherit' });
  const [code] = await once(running, 'close');
  return code;
}
