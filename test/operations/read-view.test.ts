import { expect } from 'chai';
import { keySecretsProjection, type KeySecretDocument } from '../../projections/key-secrets.ts';
import { ViewsUnavailable } from '../../projections/view-store.ts';
import { readShared } from '../../src/operations/read-view.ts';
import { rejectionOf } from '../support/rejection.ts';

describe('A document that nearly every request asks for', () => {
  const holder: KeySecretDocument = {
    keyId: 'key_1',
    accountId: 'acc_1',
    mandateId: 'mdt_1',
    scopes: ['trials:create'],
    agency: null,
    expiresAt: null,
    worksUntil: null,
    isFrozen: false,
  };

  it('is parsed once as long as its text stays the same, and anew when it changes', async () => {
    const stored = new Map([['a', JSON.stringify(holder)]]);
    const views = { getJson: (_view: string, key: string) => Promise.resolve(stored.get(key)) };
    const first = await readShared(views, keySecretsProjection, 'a');
    expect(first).to.deep.equal(holder);

    // The same text, though not the same string.
    stored.set('a', JSON.stringify(first));
    expect(await readShared(views, keySecretsProjection, 'a')).to.equal(first);

    stored.set('a', JSON.stringify({ ...holder, scopes: [] }));
    expect(await readShared(views, keySecretsProjection, 'a')).to.deep.equal({ ...holder, scopes: [] });

    stored.delete('a');
    expect(await readShared(views, keySecretsProjection, 'a')).to.equal(undefined);
  });

  it('is not taken for that of another key or view', async () => {
    const views = {
      getJson: (view: string, key: string) =>
        Promise.resolve(JSON.stringify({ ...holder, keyId: `${view} ${key}` })),
    };
    for (const [name, key] of [
      ['x', 'a'],
      ['x', 'b'],
      ['y', 'a'],
    ] as const) {
      const view = { ...keySecretsProjection, name };
      expect((await readShared(views, view, key))?.keyId).to.equal(`${name} ${key}`);
    }
  });

  it('makes the views unavailable where it is no JSON any more', async () => {
    const views = { getJson: () => Promise.resolve('{"keyId":\uFFFD"}') };
    const error = await rejectionOf(readShared(views, keySecretsProjection, 'a'));
    expect(error).to.be.instanceOf(ViewsUnavailable);
    expect(String(error)).to.match(/is damaged.*build them anew/);
  });
});
