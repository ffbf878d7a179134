import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { keptSigningSecret, UnusableSecret } from '../../src/settings/signing-secret.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';

describe('the signing secret', () => {
  let folder: TempFolder;
  beforeEach(async () => {
    folder = await tempFolder();
  });
  afterEach(() => folder.remove());

  it('is made at the first start, for its owner’s eyes, and kept', () => {
    const secret = keptSigningSecret(join(folder.path, 'new'));
    const file = join(folder.path, 'new', 'signing-secret');

    expect(secret).to.match(/^[\w-]{43}$/);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(keptSigningSecret(join(folder.path, 'new'))).to.equal(secret);
    expect(readFileSync(file, 'utf8')).to.equal(`${secret}\n`);
  });

  it('is another in another folder', () => {
    expect(keptSigningSecret(folder.file('a'))).to.not.equal(keptSigningSecret(folder.file('b')));
  });

  it('that is empty or cut short stops the start rather than sign with it', () => {
    writeFileSync(folder.file('signing-secret'), 'short\n');
    expect(() => keptSigningSecret(folder.path)).to.throw(UnusableSecret, /signing-secret/);
  });

  it('that cannot be kept is told as what it is', () => {
    mkdirSync(folder.file('signing-secret'));
    expect(() => keptSigningSecret(folder.path)).to.throw(UnusableSecret, /set SIGNING_SECRET/);
  });
});
