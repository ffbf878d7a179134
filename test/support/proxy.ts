/** The proxy of infra/docker for tests: Caddy with our Caddyfile, before addresses that the test names. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { endChild, endWithUs } from './child-processes.ts';
import { projectFile } from './deployment.ts';
import { freePort } from './ports.ts';
import { tempFolder } from './temp-folder.ts';
import { defineUnless } from './untested.ts';
import { until } from './until.ts';

export interface Proxy {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Debian's, or the one that BOURSE_TEST_CADDY names. */
const BINARY = process.env['BOURSE_TEST_CADDY'] || 'caddy';

/** Defines the tests, or says on standard error and in the report why there are none. */
export function withCaddy(what: string, define: () => void): void {
  const { error } = spawnSync(BINARY, ['version'], { stdio: 'ignore' });
  const why = error === undefined ? null : `there is no ${BINARY} on the PATH`;
  defineUnless(why, what, define);
}

/** Debian 12 has one: the image that compose.yaml names is newer. */
export function isOldCaddy(): boolean {
  return /^v?2\.[0-6]\./.test(spawnSync(BINARY, ['version'], { encoding: 'utf8' }).stdout);
}

/** @param upstreams such as 127.0.0.1:4711, in place of what Docker's DNS would say */
export async function startProxy(upstreams: readonly string[]): Promise<Proxy> {
  const caddyfile = projectFile('infra/docker/Caddyfile').replace(
    /dynamic a \{[^}]*\}/,
    `to ${upstreams.join(' ')}`,
  );
  const folder = await tempFolder();
  await writeFile(folder.file('Caddyfile'), caddyfile);
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(BINARY, ['run', '--adapter', 'caddyfile', '--config', folder.file('Caddyfile')], {
    env: { ...process.env, HOME: folder.path, SITE_ADDRESS: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithUs(child, folder.path);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)));
  await until('the proxy listens', () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended: ${said}`);
    return said.includes('serving initial configuration');
  });
  return {
    url,
    async stop() {
      await endChild(child, 'SIGKILL');
      await folder.remove();
    },
  };
}
