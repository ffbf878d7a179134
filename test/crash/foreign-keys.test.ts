/** A market whose store of keys was lost, or was left behind when the log was moved. */
import { rename } from 'node:fs/promises';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('A log whose keys of accounts are elsewhere', function () {
  this.timeout(240_000);
  let program: Program;
  let folder: TempFolder;
  let life: Life | undefined;
  before(async () => {
    program = await buildProgram();
    folder = await tempFolder();
  });
  after(async () => {
    await life?.kill();
    await program.remove();
    await folder.remove();
  });

  it('is told of at the start and by /readyz, until the right ones are put back', async () => {
    const settings = { DATA_DIR: folder.file('data') };
    const [buyer] = await inMarket(settings, (market) => prepareBuyers(market, [100_000]));
    const readiness = async (): Promise<string> => (await fetch(`${await life?.url}/readyz`)).text();
    const start = async (): Promise<void> => {
      await life?.stop();
      life = program.start(settings);
      await until('it is ready', async () => (await readiness()).includes('"status":'));
    };
    await start();
    const made = await fetch(`${await life?.url}/v1/trials`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${buyer?.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ agent: 'invoice-matcher', brief: 'Match.' }),
    });
    expect(made.status).to.equal(201);
    await until('the job is in its view', async () =>
      /"view":"jobs","state":"current"/.test(await readiness()),
    );

    await life?.stop();
    await rename(folder.file('data/people.db'), folder.file('people.db'));
    await start();
    await until('it is told', () => /Take care: the key that a text of acc_/.test(life?.printed() ?? ''));
    expect(await readiness())
      .to.include('"status":"degraded"')
      .and.include('{"engine":"account-keys","state":"foreign"}');

    await life?.stop();
    await rename(folder.file('people.db'), folder.file('data/people.db'));
    await start();
    await until('it is well', async () => (await readiness()).includes('"status":"ready"'));
    expect(life?.printed()).to.not.include('Take care');
  });
});
