import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { EXIT } from '../../src/cli/exit.ts';
import { dataSets } from '../../projections/data-sets.ts';
import { readView } from '../../src/operations/read-view.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { inMarket } from '../support/own-market.ts';
import { tempFolder } from '../support/temp-folder.ts';

const done = z.object({ ok: z.literal(true), importId: z.string().nullable() });

describe('bourse import', () => {
  it('takes rows in, tells of those that it refuses, and retires what a complete file lacks', async () => {
    const folder = await tempFolder();
    const settings = { DATA_DIR: join(folder.path, 'data') };
    const bourse = bourseOn(settings);
    const cli = (...args: string[]) => bourse.run('import', ...args);
    const refused = (...args: string[]) => bourse.refused('import', ...args);
    const file = async (name: string, text: string): Promise<string> => {
      const path = join(folder.path, name);
      await writeFile(path, text);
      return path;
    };
    const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => JSON.stringify({ name }));
    const six = await file('six.jsonl', `${rows.join('\n')}\nbroken\n`);

    const dry = await cli(six, '--dataset', 'tools', '--dry-run');
    expect(dry).to.include('line 7 refused: it is no JSON').and.include('this was a dry run');
    const imported = await cli(six, '--dataset', 'tools', '--attribution', 'The list', '--licence', 'MIT');
    expect(imported).to.include('7 rows read: 6 added').and.include('Imported as imp_');
    const again = done.parse(JSON.parse(await cli(six, '--dataset', 'tools', '--json')));
    expect(again.importId).to.equal(null);

    const five = await file('five.json', JSON.stringify(rows.slice(1).map((row) => JSON.parse(row))));
    const retired = await cli(five, '--dataset', 'tools', '--complete');
    expect(retired).to.include('1 retired, 5 unchanged');
    const two = await file('two.csv', 'name\nb\nc\n');
    const many = await refused(two, '--dataset', 'tools', '--complete');
    expect(many.code).to.equal(EXIT.refused);
    expect(many.stdout)
      .to.include('3 of 5 listed rows are missing')
      .and.include('Nothing of it was imported');

    // Its id is not known: it may be any of those that are missing.
    const unnamed = await file('unnamed.jsonl', '{"name":"b"}\n{}\n');
    const kept = await refused(unnamed, '--dataset', 'tools', '--complete');
    expect(kept.stdout).to.include('they may be among the refused rows').and.not.include('--yes-retire-many');
    expect(await cli(await file('none.jsonl', '{}\n'), '--dataset', 'tools')).to.include(
      'Nothing was imported: no row could be taken.',
    );
    expect(await cli(unnamed, '--dataset', 'tools')).to.include('what could be taken was so already');

    const cut = await refused(await file('cut.json', '[{"name":"g"}'), '--dataset', 'tools');
    expect([cut.code, cut.stdout]).to.deep.equal([
      EXIT.refused,
      'Nothing of it was imported: the file cannot be read: it is cut short: its array has no end.\n',
    ]);
    const columns = Array.from({ length: 201 }, (_, n) => `c${n + 1}`).join(',');
    const wide = await refused(await file('wide.csv', `${columns}\n`), '--dataset', 'tools');
    expect([wide.code, wide.stdout]).to.deep.equal([
      EXIT.refused,
      'Nothing of it was imported: the file cannot be read: its header has 201 columns, of at most 200: column 201, "c201", is one too many.\n',
    ]);
    expect((await refused(six, '--dataset', 'toolz')).code).to.equal(EXIT.usage);
    expect((await refused(join(folder.path, 'rows'), '--dataset', 'tools')).code).to.equal(EXIT.usage);
    const absent = await refused(join(folder.path, 'none.csv'), '--dataset', 'tools');
    expect([absent.code, absent.stderr]).to.deep.equal([
      EXIT.refused,
      `bourse: ${join(folder.path, 'none.csv')} cannot be read (ENOENT)\n`,
    ]);

    const odd = await file('odd\tname .jsonl', '{"name":"h"}\n');
    const url = await refused(odd, '--dataset', 'tools', '--attribution', 'x', '--attribution-url', 'x');
    expect(url.code).to.equal(EXIT.usage);
    expect(url.stderr).to.include("argument 'x' is invalid. It must be an address that begins with https://");
    expect(await cli(odd, '--dataset', 'models', '--dry-run')).to.include('it has no id');
    expect(await cli(odd, '--dataset', 'directory/odd/names')).to.include('Imported as imp_');

    await inMarket(settings, async ({ services }) => {
      await services.projector.caughtUp();
      const document = await readView(services.views, dataSets, 'tools');
      expect(document).to.deep.include({ listed: 5, retired: 1 });
      expect(document?.attribution).to.deep.equal({ text: 'The list', url: null, licence: 'MIT' });
    });
    await folder.remove();
  }).timeout(240_000);
});
