import { expect } from 'chai';
import { EXIT } from '../../src/cli/exit.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('bourse plan', () => {
  it('gives an account a plan, exchanges it and takes it away, and says what there is', async () => {
    const folder = await tempFolder();
    const bourse = bourseOn({ DATA_DIR: folder.path });
    const json = async (...args: string[]) => JSON.parse(await bourse.run('plan', ...args, '--json'));
    const refused = (...args: string[]) => bourse.refused('plan', ...args);
    await bourse.run('key', 'create', '--account', 'acme', '--name', 'reader', '--scopes', 'data:read');

    expect(await json('show', 'acme')).to.include({ handle: 'acme', plan: null });
    const none = await refused('cancel', 'acme');
    expect(none.code).to.equal(EXIT.refused);
    expect(none.stderr).to.include('the account acme has no plan: choose one first');

    expect(await json('set', 'acme', 'starter')).to.include({ plan: 'starter', perMinute: 60 });
    expect(await json('set', 'acme', 'pro')).to.include({ plan: 'pro', perMonth: 500_000 });
    const listed = await json('list');
    expect(listed).to.have.lengthOf(1);
    expect(listed[0]).to.include({ plan: 'pro' });
    expect(await bourse.run('plan', 'cancel', 'acme')).to.match(/^acme \(acc_\w+\) has no plan\.\n$/);
    expect(await json('list')).to.deep.equal([]);

    const unknown = await refused('set', 'acme', 'gold');
    expect(unknown.code).to.equal(EXIT.usage);
    expect(unknown.stderr).to.include('must be one of starter, pro, enterprise');
    await folder.remove();
  }).timeout(240_000);
});
