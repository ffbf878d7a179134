/** Two hashes make the code that node's own Hmac makes. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { hmacSha256 } from '../../src/operations/private-texts/hmac-sha256.ts';

describe('HMAC-SHA-256', () => {
  it('is that of RFC 4231, for a short key and for one longer than a block', () => {
    expect(hmacSha256(Buffer.from('Jefe'))('what do ya want for nothing?', 'hex')).to.equal(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
    const long = hmacSha256(Buffer.alloc(131, 0xaa));
    expect(long('Test Using Larger Than Block-Size Key - Hash Key First', 'hex')).to.equal(
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    );
  });

  it('is node’s for a key of just one block, and of one byte more or less', () => {
    for (const length of [63, 64, 65]) {
      const key = Buffer.alloc(length, 7);
      const expected = createHmac('sha256', key).update('text').digest('hex');
      expect(hmacSha256(key)('text', 'hex'), String(length)).to.equal(expected);
    }
  });

  it('is node’s, for any key and text, one after the other', () => {
    const keyed = hmacSha256(Buffer.from('of all texts'));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' }), (key, text) => {
        const expected = createHmac('sha256', key).update(text).digest('hex');
        expect(hmacSha256(key)(text, 'hex')).to.equal(expected);
        const inBase64 = createHmac('sha256', 'of all texts').update(text).digest('base64url');
        expect(keyed(text, 'base64url')).to.equal(inBase64);
      }),
    );
  });
});
