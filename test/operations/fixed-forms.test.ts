/** Forms that are out in the world: a program that makes or reads them differently turns away what it gave itself. */
import { expect } from 'chai';
import { isWellFormedApiKey, secretHashOf } from '../../src/operations/keys/api-key-secret.ts';
import { createSigner } from '../../src/operations/signer.ts';

describe('What callers hold', () => {
  it('is a key whose last six characters are the CRC-32 of the others in base62', () => {
    const key = 'brs_ak_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3ZzzMl';
    expect(isWellFormedApiKey(key, 'brs')).to.equal(true);
    expect(isWellFormedApiKey(key.replace(/.$/, 'm'), 'brs')).to.equal(false);
    expect(secretHashOf('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is a link signed by HMAC-SHA-256 with the UTF-8 of the secret, over the purpose and the subject', () => {
    const signature = 'oIwXOiLH2vvy0swtfjS1cNOe7b0RIFsfTNGDt7XkJxY';
    const signer = createSigner('schlüssel-🔑-1');
    expect(signer.sign('checkout', 'job_1')).to.equal(signature);
    expect(signer.verify('checkout', 'job_1', signature)).to.equal(true);
    expect(signer.verify('artifact', 'job_1', signature)).to.equal(false);
  });
});
