/** A market in several processes of the built program, with a command line beside them. */
import { setTimeout as delay } from 'node:timers/promises';
import { publishExamples } from './memory-market.ts';
import { buildProgram, type Life, type ProgramOptions } from './built-program.ts';
import { inMarket } from './own-market.ts';
import type { Settings } from './served-market.ts';
import type { Role } from '../../src/settings/roles.ts';

export interface Fleet {
  /** In the order in which they were wanted. */
  readonly lives: readonly Life[];
  /** Of those that answer requests. */
  readonly urls: readonly string[];
  readonly start: (role: Role) => Life;
  /** Runs one command to its end and answers with the JSON that it printed. */
  readonly bourse: (...args: readonly string[]) => Promise<Readonly<Record<string, string>>>;
  /** The key of a new buyer, known at every node when this resolves. */
  readonly newKey: (
    account: string,
    scopes: string,
  ) => Promise<{ readonly keyId: string; readonly key: string }>;
  /** Asks all to stop; answers with the exit codes of those that still ran. */
  readonly stop: () => Promise<readonly (number | null)[]>;
}

/** The examples' agent is listed. */
export async function startFleet(
  settings: Settings,
  roles: readonly Role[],
  options: ProgramOptions = {},
): Promise<Fleet> {
  const program = await buildProgram(options);
  await inMarket(settings, ({ services }) => publishExamples(services));
  const all: Life[] = [];
  const start = (role: Role): Life => {
    const life = program.start({ ...settings, ROLE: role, PUBLIC_RATE_LIMIT: '1000000' });
    all.push(life);
    return life;
  };
  const lives = roles.map(start);
  const addresses = await Promise.all(lives.map(({ url }) => url));
  const bourse: Fleet['bourse'] = async (...args) =>
    JSON.parse(await program.run(settings, [...args, '--json']));
  return {
    lives,
    urls: addresses.filter((_, i) => roles[i] === 'api'),
    start,
    bourse,
    async newKey(account, scopes) {
      const caps = ['--max-per-transaction', '10000', '--max-monthly', '10000000', '--allow', 'trial:create'];
      const owner = ['--account', account, '--name', 'b', '--scopes', scopes];
      const { keyId = '', key = '' } = await bourse('key', 'create', ...owner, ...caps);
      return { keyId, key };
    },
    async stop() {
      for (const life of all) life.goOn();
      const codes = await Promise.all(all.map((life) => life.stop()));
      await program.remove();
      return codes;
    },
  };
}

/** With a body it is a POST. */
export function ask(url: string, key: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  return settled(() => fetch(url, init));
}

/** A machine that is too busy to be right says 503, and never what was before: it is asked again, as its answer says. */
export async function settled(call: () => Promise<Response>): Promise<Response> {
  const response = await call();
  if (response.status !== 503) return response;
  await response.text();
  await delay(Number(response.headers.get('Retry-After')) * 1_000);
  return settled(call);
}
