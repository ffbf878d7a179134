/** A text of an account is read with its key, for its own purpose, and unchanged; or not at all. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { encryptedSchema } from '../../../events/private-text.ts';
import { sha256Hex } from '../../../events/hash-chain.ts';
import { accountCipher } from '../../../src/operations/private-texts/account-cipher.ts';

const key = randomBytes(32);
const cipher = accountCipher('acc_1', key);
const TEXT = 'Match the invoices of Ms. Ünal — 😀 and half: \ud83d';

describe('The cipher of an account', () => {
  it('reads what it wrote, in a form that events take', () => {
    const encrypted = cipher.encrypt('order spd_1', JSON.stringify(TEXT));
    expect(encryptedSchema.parse(encrypted)).to.deep.equal(encrypted);
    expect(cipher.decrypt('order spd_1', encrypted)).to.equal(JSON.stringify(TEXT));
    expect(accountCipher('acc_1', key).decrypt('order spd_1', encrypted)).to.equal(JSON.stringify(TEXT));
  });

  it('shows nothing of the text, and never the same twice', () => {
    const [one, other] = [cipher.encrypt('order spd_1', TEXT), cipher.encrypt('order spd_1', TEXT)];
    expect(one?.ciphertext).not.to.equal(other?.ciphertext);
    const bytes = Buffer.from(one?.ciphertext ?? '', 'base64url');
    expect(bytes.includes('invoices')).to.equal(false);
  });

  it('uses no nonce twice, however many texts there are, and whichever account’s', () => {
    const other = accountCipher('acc_2', key);
    const nonces = Array.from({ length: 2_000 }, (_, i) => {
      const { ciphertext } = (i % 2 === 0 ? cipher : other).encrypt('order spd_1', 'x');
      return Buffer.from(ciphertext, 'base64url').toString('hex', 9, 21);
    });
    expect(new Set(nonces).size).to.equal(nonces.length);
  });

  it('carries the digest of the ciphertext', () => {
    const { ciphertext, digest } = cipher.encrypt('order spd_1', 'x');
    expect(digest).to.equal(sha256Hex(ciphertext));
  });

  it('refuses a ciphertext that was moved to another order', () => {
    const encrypted = cipher.encrypt('order spd_1', 'x');
    expect(() => cipher.decrypt('order spd_2', encrypted)).to.throw();
  });

  it('refuses a ciphertext that was moved to another account with the same key', () => {
    const encrypted = cipher.encrypt('order spd_1', 'x');
    expect(() => accountCipher('acc_2', key).decrypt('order spd_1', encrypted)).to.throw();
  });

  it('refuses one in which any bit was changed, cut off or added', () => {
    const { ciphertext } = cipher.encrypt('order spd_1', 'some text');
    const bytes = Buffer.from(ciphertext, 'base64url');
    const refused = (changed: Buffer): void => {
      const encrypted = { ciphertext: changed.toString('base64url'), digest: '' };
      let read: string | null = null;
      try {
        read = cipher.decrypt('order spd_1', encrypted);
      } catch {
        return;
      }
      expect(read).to.equal(null);
    };
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      refused(changed);
      refused(bytes.subarray(0, at));
    }
    refused(Buffer.concat([bytes, Buffer.from([0])]));
  });

  it('says of a text that was written with another key that it cannot read it', () => {
    const encrypted = cipher.encrypt('order spd_1', 'x');
    expect(accountCipher('acc_1', randomBytes(32)).decrypt('order spd_1', encrypted)).to.equal(null);
  });

  it('gives a text the same digest each time, and nobody without the key can make it', () => {
    const hash = sha256Hex('{"brief":"yes"}');
    expect(cipher.digest(hash)).to.equal(accountCipher('acc_1', key).digest(hash));
    expect(cipher.digest(hash)).not.to.equal(hash);
    expect(accountCipher('acc_1', randomBytes(32)).digest(hash)).not.to.equal(cipher.digest(hash));
    expect(cipher.digest(hash)).to.match(/^[0-9a-f]{64}$/);
  });
});
