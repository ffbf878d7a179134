/** Forms that are out in the world: a program that makes or reads them differently turns away what it gave itself. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import {
  hintOf,
  isWellFormedApiKey,
  newApiKey,
  secretHashOf,
} from '../../src/operations/keys/api-key-secret.ts';
import { createSigner } from '../../src/operations/signer.ts';
import {
  isSigned,
  signatures,
  webhookSecret,
  webhookSecrets,
} from '../../src/operations/standard-webhooks.ts';

describe('What callers hold', () => {
  it('is a key whose last six characters are the CRC-32 of the others in base62', () => {
    const key = 'brs_ak_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3ZzzMl';
    expect(isWellFormedApiKey(key, 'brs')).to.equal(true);
    expect(isWellFormedApiKey(key.replace(/.$/, 'm'), 'brs')).to.equal(false);
    expect(secretHashOf('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is a link signed by HMAC-SHA-256 with a key of its purpose, which names the secret that it comes from', () => {
    const signer = createSigner('schlüssel-🔑-1');
    const signature = 'yuSne7nT.6Io9uv5KOXjE7o2M-ty668ZhC_vsqliCRpb22Ncsxgo';
    expect(signer.sign('checkout-pay', 'job_1')).to.equal(signature);
    expect(signer.verify('checkout-pay', 'job_1', signature)).to.equal(true);
    for (const purpose of ['checkout-cancel', 'artifact', 'checkout'] as const)
      expect(signer.verify(purpose, 'job_1', signature), purpose).to.equal(false);
    expect(signer.verify('checkout-pay', 'job_2', signature)).to.equal(false);
    // A purpose of earlier releases has no key of its own, and so no such signature.
    const nothing = signature.replace(/\..*/, '.undefined');
    for (const purpose of ['checkout', 'record-webhook'] as const)
      expect(signer.verify(purpose, 'job_1', nothing), purpose).to.equal(false);
    // Its own key has signed this, and says that another secret's has.
    expect(signer.verify('checkout-pay', 'job_1', signature.replace(/^./, '_'))).to.equal(false);
  });

  it('is a link of an earlier release: signed with the UTF-8 of the secret, over the purpose and the subject', () => {
    const signer = createSigner('schlüssel-🔑-1');
    const signature = 'oIwXOiLH2vvy0swtfjS1cNOe7b0RIFsfTNGDt7XkJxY';
    expect(signer.verify('checkout', 'job_1', signature)).to.equal(true);
    expect(signer.verify('artifact', 'job_1', signature)).to.equal(false);
    const later = createHmac('sha256', 'schlüssel-🔑-1').update('artifact\nart_1').digest('base64url');
    expect(signer.verify('artifact', 'art_1', later)).to.equal(true);
  });

  it('is a key with 256 bits of randomness: no place of its secret is always the same', () => {
    const keys = Array.from({ length: 200 }, () => newApiKey('brs').slice('brs_ak_'.length, -6));
    for (let place = 0; place < 43; place += 1)
      expect(new Set(keys.map((key) => key[place])).size, `place ${place}`).to.be.above(1);
  });

  it('is a key of that form, whatever its randomness', () => {
    for (let count = 0; count < 50; count += 1) {
      const key = newApiKey('brs');
      expect(key).to.match(/^brs_ak_[0-9A-Za-z]{49}$/);
      expect(isWellFormedApiKey(key, 'brs')).to.equal(true);
      expect(isWellFormedApiKey(key, 'abc')).to.equal(false);
      expect(hintOf(key)).to.equal(key.slice(-10, -6));
    }
  });

  it('is a signed post, by one of its signatures, within five minutes of now', () => {
    const [id, at, body] = ['msg_1', 1_700_000_000, '{"a":1}'];
    const [secret, other] = ['whsec_AAAA', 'whsec_BBBB'];
    const signed = (signature: string, timestamp = String(at)) => ({ id, timestamp, signature });
    const mine = signatures([secret], id, at, body);
    const both = signatures([other, secret], id, at, body);
    for (const signature of [mine, both, `${mine} v2,else`, `v1 ${mine}`])
      expect(isSigned(secret, signed(signature), body, at), signature).to.equal(true);
    for (const seconds of [-300, 300])
      expect(isSigned(secret, signed(mine), body, at + seconds)).to.equal(true);
    for (const seconds of [-301, 301])
      expect(isSigned(secret, signed(mine), body, at + seconds), String(seconds)).to.equal(false);
    for (const signature of ['', 'v1,', signatures([other], id, at, body), mine.slice(0, -1), `${mine}=`])
      expect(isSigned(secret, signed(signature), body, at), signature).to.equal(false);
    expect(isSigned(secret, signed(mine), `${body} `, at)).to.equal(false);
    for (const timestamp of ['', 'soon', `${at}.0`, ` ${at}`, '0x6553f100', `${at}${'0'.repeat(3)}`]) {
      const stamped = `v1,${createHmac('sha256', Buffer.alloc(3)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
      expect(isSigned(secret, signed(stamped, timestamp), body, at), timestamp).to.equal(false);
    }
  });

  it('is a secret that follows from the signing secret, and never changes', () => {
    const [secret] = createSigner('schlüssel-🔑-1').secretsOf('webhook-secret', 'wh_1 1');
    const expected = createHmac('sha256', 'schlüssel-🔑-1').update('webhook-secret\nwh_1 1').digest();
    expect(secret).to.deep.equal(expected);
  });
});

describe('A signing secret that was replaced', () => {
  const before = createSigner('the secret of last year');
  const after = createSigner('the secret of this year', 'the secret of last year');
  const alone = createSigner('the secret of this year');

  it('keeps its links valid for as long as it stands beside the new one', () => {
    const signature = before.sign('artifact', 'art_1');
    expect(after.verify('artifact', 'art_1', signature)).to.equal(true);
    expect(after.verify('record-link', 'art_1', signature)).to.equal(false);
    expect(alone.verify('artifact', 'art_1', signature)).to.equal(false);
    const former = createHmac('sha256', 'the secret of last year').update('checkout\njob_1');
    expect(after.verify('checkout', 'job_1', former.digest('base64url'))).to.equal(true);
  });

  it('signs no new one', () => {
    const signature = after.sign('artifact', 'art_1');
    expect(signature).to.equal(alone.sign('artifact', 'art_1'));
    expect(before.verify('artifact', 'art_1', signature)).to.equal(false);
  });

  it('gives the secret that others hold still, behind the one that follows from the new one', () => {
    expect(webhookSecrets(after, 'webhook-secret', 'wh_1', 2)).to.deep.equal([
      webhookSecret(alone, 'webhook-secret', 'wh_1', 2),
      webhookSecret(before, 'webhook-secret', 'wh_1', 2),
    ]);
  });
});
