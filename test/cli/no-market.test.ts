/** What commands do where there is no market, and on a market whose views were never built. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import type { Command } from 'commander';
import { idFrom } from '../../events/ids.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { bourseProgram } from '../../src/cli/program.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { rejectionOf } from '../support/rejection.ts';
import { AT } from '../support/sample-mandate.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';

const key = idFrom('apiKey', AT, 'nobody');
const endpoint = idFrom('webhookEndpoint', AT, 'nothing');
const event = idFrom('event', AT, 'nothing');

/** What is typed after each command that works on a market that is there. */
const ON_A_MARKET: Readonly<Record<string, readonly string[]>> = {
  'account list': [],
  'account show': ['acme'],
  'account allow': ['acme', '--scopes', 'jobs:read'],
  'account freeze': ['acme'],
  'account unfreeze': ['acme'],
  'audit mandate': [key],
  'audit export': ['--out', 'never-made.ndjson', '--account', 'nobody'],
  'key list': [],
  'key revoke': [key],
  'key amend': [key, '--max-monthly', '1'],
  'key suspend': [key],
  'key resume': [key],
  'key correct-period': [key, '--month', '2026-11', '--reason', 'a test'],
  'key freeze': [key],
  'key unfreeze': [key],
  'key rotate': [key],
  'log accept-loss': ['--reason', 'a test'],
  'log check': [],
  'plan list': [],
  'plan show': ['acme'],
  'plan set': ['acme', 'pro'],
  'plan cancel': ['acme'],
  'projections status': [],
  'projections rebuild': [],
  'projections skip': ['jobs', event, '--reason', 'a test'],
  'reactions status': [],
  'reactions skip': ['when-mandate-spent-create-trial', event, '--reason', 'a test'],
  'webhook add': ['https://example.com/hook', '--account', 'acme'],
  'webhook list': ['--account', 'acme'],
  'webhook change': [endpoint, '--account', 'acme', '--description', 'x'],
  'webhook enable': [endpoint, '--account', 'acme'],
  'webhook disable': [endpoint, '--account', 'acme'],
  'webhook remove': [endpoint, '--account', 'acme'],
  'webhook rotate': [endpoint, '--account', 'acme'],
  'webhook test': [endpoint, '--account', 'acme'],
  'webhook deliveries': [endpoint, '--account', 'acme'],
  'webhook redeliver': [idFrom('delivery', AT, 'nothing'), '--account', 'acme'],
  mcp: [],
};
/** They make a market, ask an instance, read a file, or say it in their own words. */
const ELSEWHERE = [
  'serve',
  'seed',
  'key create',
  'publish',
  'import',
  'doctor',
  'migrate',
  'listen',
  'verify agent',
  'verify bundle',
  'audit verify',
];
/** By the handle of the account, or what belongs to it. */
const LOOKING_UP = ['plan set', 'plan show', 'plan cancel', 'webhook deliveries', 'account freeze'];

function leaves(command: Command, above: readonly string[] = []): readonly string[] {
  if (command.commands.length === 0) return [above.join(' ')];
  return command.commands.flatMap((below) => leaves(below, [...above, below.name()]));
}

describe('A command', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  beforeEach(async () => (folder = await tempFolder()));
  afterEach(() => folder.remove());

  it('is known to this test, whatever it works on', () => {
    const known = [...Object.keys(ON_A_MARKET), ...ELSEWHERE];
    expect(known.toSorted()).to.deep.equal(leaves(bourseProgram()).toSorted());
  });

  for (const [name, given] of Object.entries(ON_A_MARKET)) {
    it(`bourse ${name} where there is no market says so, and makes nothing`, async () => {
      const dataDir = folder.file('data');
      const error = await inMarket(dataDir, () =>
        rejectionOf(bourseProgram().parseAsync([...name.split(' '), ...given], { from: 'user' })),
      );
      expect(error).to.be.an.instanceOf(StoreUnavailable);
      expect(String(error)).to.include(dataDir);
      expect(existsSync(dataDir)).to.equal(false);
    });
  }

  it('finds what it looks up where the views were never built', async () => {
    const { run, refused } = bourseOn({ DATA_DIR: folder.path });
    await run('key', 'create', '--account', 'acme', '--name', 'reader', '--scopes', 'data:read');
    const withoutViews = async (): Promise<void> => {
      for (const end of ['', '-wal', '-shm']) await rm(folder.file(`views.db${end}`), { force: true });
    };
    for (const name of LOOKING_UP) {
      await withoutViews();
      await run(...name.split(' '), ...(ON_A_MARKET[name] ?? []));
    }
    await withoutViews();
    expect(await refused('key', 'revoke', key)).to.include({
      code: EXIT.refused,
      stderr: `bourse: there is no key ${key}\n`,
    });
  });
});

async function inMarket<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.env['DATA_DIR'];
  process.env['DATA_DIR'] = dataDir;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env['DATA_DIR'];
    else process.env['DATA_DIR'] = before;
  }
}
