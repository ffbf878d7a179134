import { execFile, spawnSync } from 'node:child_process';
import { copyFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { openSqliteLog } from '../../infra/sqlite/event-store.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { append } from '../support/event-log.ts';
import { newEvent } from '../support/new-event.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { BOURSE } from '../support/shipped-program.ts';

const run = promisify(execFile);
const madeKey = z.object({ keyId: z.string() });

describe('bourse audit', () => {
  it('needs the log alone, as an auditor has it in a copy, and makes nothing beside it', async () => {
    const [original, copy] = [await tempFolder(), await tempFolder()];
    const cli = async (dataDir: string, ...args: string[]): Promise<string> => {
      const env = { ...process.env, DATA_DIR: dataDir };
      return (await run(process.execPath, [BOURSE, ...args], { env })).stdout;
    };
    const owner = ['--account', 'acme', '--name', 'buyer', '--scopes', 'jobs:read', '--json'];
    const { keyId } = madeKey.parse(JSON.parse(await cli(original.path, 'key', 'create', ...owner)));
    await copyFile(original.file('bourse.db'), copy.file('bourse.db'));

    expect(await cli(copy.path, 'audit', 'mandate', keyId)).to.include('Chain, sums and caps hold.');
    await cli(copy.path, 'audit', 'export', '--out', copy.file('export.ndjson'));
    expect((await readdir(copy.path)).filter((name) => !name.startsWith('bourse.db'))).to.deep.equal([
      'export.ndjson',
    ]);
    await original.remove();
    await copy.remove();
  });

  it('shows what was denied: when, what, to whom, why, and how many were left out', async () => {
    const folder = await tempFolder();
    const cli = async (...args: string[]): Promise<string> => {
      const env = { ...process.env, DATA_DIR: folder.path };
      return (await run(process.execPath, [BOURSE, ...args], { env })).stdout;
    };
    const owner = ['--account', 'acme', '--name', 'buyer', '--scopes', 'jobs:read', '--json'];
    const { keyId } = madeKey.parse(JSON.parse(await cli('key', 'create', ...owner)));
    const audit = async () =>
      z
        .object({ mandateId: z.string(), denials: z.unknown() })
        .parse(JSON.parse(await cli('audit', 'mandate', keyId, '--json')));
    const { mandateId, denials: none } = await audit();
    expect(none).to.deep.equal({ recorded: 0, leftOut: 0 });

    const { store, close } = await openSqliteLog({ path: folder.file('bourse.db') });
    const data = {
      mandateId,
      keyId,
      amountCents: 90_000,
      action: 'trial:create',
      payee: { agency: 'ledgerworks', agent: 'invoice-matcher' },
      reasons: ['transaction_cap', 'monthly_cap'],
    };
    const denials = [data, { ...data, leftOut: 7 }].map((each) =>
      newEvent({ type: 'SpendDenied', data: each }),
    );
    await append(store, `denials-${mandateId}`, -1, denials);
    await close();

    expect((await audit()).denials).to.deep.equal({ recorded: 2, leftOut: 7 });
    const shown = await cli('audit', 'mandate', keyId);
    expect(shown).to.match(
      /T.*Z {2}SpendDenied +USD 900\.00 trial:create to ledgerworks\/invoice-matcher: transaction_cap, monthly_cap/,
    );
    expect(shown).to.match(/^Mandate mdt_\w+: 1 event, head /m);
    expect(shown).to.include('after 7 that were not recorded');
    expect(shown).to.include('2 denials recorded, 7 more were left out.');
    await folder.remove();
  });

  it('names the event of which no line can be written, in one line, and leaves no file', async () => {
    const folder = await tempFolder();
    const { store, close } = await openSqliteLog({ path: folder.file('bourse.db') });
    const type = 'MandateSuspended';
    const half = newEvent({ type, data: { reason: '\ud83d' } });
    await append(store, 'mandate-1', -1, [newEvent({ type, data: { reason: 'whole' } }), half]);
    await close();

    const out = folder.file('export.ndjson');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [BOURSE, 'audit', 'export', '--out', out],
      { env: { ...process.env, DATA_DIR: folder.path }, encoding: 'utf8' },
    );
    const problem = 'half a surrogate pair has no canonical text';
    expect([status, stdout, stderr]).to.deep.equal([
      EXIT.refused,
      '',
      `bourse: mandate-1@1 (${half.id}) cannot be exported: ${problem}\n`,
    ]);
    expect(await readdir(folder.path)).not.to.include('export.ndjson');
    await folder.remove();
  });

  it('says in one line that there is no room for the file, and leaves none', async () => {
    const folder = await tempFolder();
    const { store, close } = await openSqliteLog({ path: folder.file('bourse.db') });
    const event = () => newEvent({ type: 'MandateSuspended', data: { reason: 'x'.repeat(1_000) } });
    await append(store, 'mandate-1', -1, Array.from({ length: 200 }, event));
    await close();

    const out = folder.file('export.ndjson');
    const kibibytes = 100;
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', `ulimit -f ${kibibytes}; exec "$@"`, 'bash', process.execPath, BOURSE].concat([
        'audit',
        'export',
        '--out',
        out,
      ]),
      { env: { ...process.env, DATA_DIR: folder.path }, encoding: 'utf8' },
    );
    expect([status, stdout, stderr]).to.deep.equal([
      EXIT.refused,
      '',
      `bourse: ${out} cannot be written: EFBIG: file too large, write\n`,
    ]);
    expect(await readdir(folder.path)).not.to.include('export.ndjson');
    await folder.remove();
  });
});
