import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { EXIT } from '../../src/cli/exit.ts';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { eventsOf, pagesUntil } from '../support/event-log.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { BOURSE } from '../support/shipped-program.ts';

const run = promisify(execFile);
const madeKey = z.object({ keyId: z.string() });
const audit = z.object({ mandate: z.record(z.string(), z.unknown()) });

describe('bourse key create', () => {
  it('grants a mandate with every control from its first moment, all in one request of whoever typed it', async () => {
    const startMs = Date.now();
    const folder = await tempFolder();
    const env = { ...process.env, DATA_DIR: folder.path };
    const cli = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await run(process.execPath, [BOURSE, ...args, '--json'], { env })).stdout);
    await cli('seed');
    const terms = ['--valid-from', '2027-12-01', '--max-spends', '3', '--agencies', 'ledgerworks'];
    const owner = ['--account', 'acme', '--name', 'buyer', '--scopes', 'trials:create'];
    const allowed = ['--allow', 'trial:create'];
    const { keyId } = madeKey.parse(
      await cli('key', 'create', ...owner, ...allowed, ...terms, '--agents', 'invoice-matcher,cost-warden'),
    );
    const { mandate } = audit.parse(await cli('audit', 'mandate', keyId));
    expect(mandate).to.deep.include({
      validFrom: '2027-12-01T00:00:00.000Z',
      maxSpendsPerMonth: 3,
      allowedAgencies: ['ledgerworks'],
      allowedAgents: ['invoice-matcher', 'cost-warden'],
    });

    const { store, close } = await openSqliteLog({ path: folder.file('bourse.db') });
    const all = eventsOf(await pagesUntil(store, { after: null }, (_, page) => page.caughtUp));
    const made = all.filter(({ meta }) => meta.actor !== 'seed');
    await close();
    const causes = new Set(made.map(({ at, meta }) => `${at} ${meta.actor} ${meta.requestId}`));
    expect([...causes], 'one request').to.have.length(1);
    expect(made.map(({ type }) => type)).to.deep.equal(['AccountOpened', 'MandateGranted', 'ApiKeyIssued']);
    expect(made[0]?.meta).to.deep.include({ actor: 'cli' });
    expect(Date.parse(made[0]?.at ?? '')).to.be.within(startMs, Date.now());
    await folder.remove();
  });

  it('refuses a key that could not work, and says each thing that is wrong', async () => {
    const folder = await tempFolder();
    const env = { ...process.env, DATA_DIR: folder.path };
    const owner = ['--account', 'acme', '--name', 'buyer', '--scopes', 'trials:create,provider:fulfil'];
    const caps = ['--max-per-transaction', '100', '--max-monthly', '100', '--agents', 'nobody'];
    const wrong = [...caps, '--expires', '2020-01-01', '--key-expires', '2020-01-01'];
    const args = [BOURSE, 'key', 'create', ...owner];
    const refused = async (...more: string[]): Promise<string> => {
      const failed: unknown = await run(process.execPath, [...args, ...more], { env }).catch(
        (error) => error,
      );
      return z.object({ code: z.literal(EXIT.refused), stderr: z.string() }).parse(failed).stderr;
    };
    expect(await refused(...wrong))
      .to.include('--agency must be named')
      .and.include('--key-expires must be in the future')
      .and.include('--expires must be in the future')
      .and.include('caps alone allow nothing')
      .and.include('there is no agent nobody');
    expect(await refused()).to.include('--allow must name trial:create for a key with trials');
    expect(await refused('--agency', 'nowhere', '--allow', 'trail:create'))
      .to.include('there is no agency nowhere')
      .and.include('trail:create is not an action; there is trial:create');
    const late: unknown = await run(process.execPath, [...args, '--valid-from', '9999-12-31T23:59:60Z'], {
      env,
    }).catch((error) => error);
    const { stderr } = z.object({ code: z.literal(EXIT.usage), stderr: z.string() }).parse(late);
    expect(stderr).to.include('must be a time such as').and.not.include('    at ');
    await folder.remove();
  });
});
