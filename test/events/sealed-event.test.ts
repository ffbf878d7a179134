/** What this process has sealed says so until somebody changes it, and has its texts until a store has them. */
import { expect } from 'chai';
import type { PlacedEvent } from '../../events/event.ts';
import { eventHash } from '../../events/hash-chain.ts';
import { isSealed, recordEvent, sealedTexts, sealEvent } from '../../events/sealed-event.ts';
import { newEvent } from '../support/new-event.ts';

const plain: PlacedEvent = { ...newEvent(), streamId: 'stream-1', revision: 3 };
const [data, meta] = ['{"the":"data"}', '{"the":"meta"}'];
const place = { streamId: 'stream-1', revision: 3, position: '7' };

describe('A sealed event', () => {
  const sealed = sealEvent(plain, data, meta);

  it('says what the event says, and has its texts at hand', () => {
    expect(sealed).to.deep.equal(plain);
    expect(JSON.parse(JSON.stringify(sealed))).to.deep.equal(plain);
    expect(isSealed(sealed)).to.equal(true);
    expect(sealedTexts(sealed)).to.deep.equal({ data, meta });
  });

  it('is still sealed as a store gives it back, without its texts', () => {
    const recorded = recordEvent(sealed, place);
    expect(recorded).to.deep.equal({ ...plain, position: '7' });
    expect(isSealed(recorded)).to.equal(true);
    expect(sealedTexts(recorded)).to.equal(null);
  });

  it('is an event like any other once it was copied', () => {
    const copy = { ...sealed };
    expect(isSealed(copy)).to.equal(false);
    expect(sealedTexts(copy)).to.equal(null);
    expect(isSealed(recordEvent(copy, place))).to.equal(false);
  });

  for (const [part, kept] of [
    ['data', { data: null, meta }],
    ['meta', { data, meta: null }],
  ] as const) {
    it(`has no text of its ${part} with half a surrogate pair, for which there is no canonical one`, () => {
      const texts = { data, meta, [part]: '{"text":"\\ud83d"}' };
      const half = sealEvent({ ...plain, [part]: { text: '\ud83d' } }, texts.data, texts.meta);
      expect(sealedTexts(half)).to.deep.equal(kept);
      expect(() => eventHash(half)).to.throw(TypeError, /half a surrogate pair/);
    });
  }
});
