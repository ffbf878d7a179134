/** The examples of RFC 8785, and that nothing is lost: a digest over this text speaks for the whole value. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import type * as canonical from '../../events/canonical-json.ts';
import { canonicalJson, orderedJson } from '../../events/canonical-json.ts';
import { anew } from '../support/anew.ts';

setFlagsFromString('--expose-gc');
/** With the flag, each new context has the collector under this name. */
const collectGarbage = runInNewContext('gc') as () => void;

describe('canonical JSON', () => {
  it('writes the sample of RFC 8785, section 3.2.2, as section 3.2.3 does', () => {
    const sample: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);

    expect(canonicalJson(sample)).to.equal(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts names by UTF-16 code units, the emoji before the Hebrew letter', () => {
    const names = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };

    expect(canonicalJson(names)).to.equal(
      String.raw`{"\r":"Carriage Return","1":"One","${'\u0080'}":"Control",` +
        '"ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign",' +
        '"😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  /** RFC 8785, appendix B: the bits of a double and its text. */
  const numbers: Readonly<Record<string, string>> = {
    '0000000000000000': '0',
    '8000000000000000': '0',
    '0000000000000001': '5e-324',
    '8000000000000001': '-5e-324',
    '7fefffffffffffff': '1.7976931348623157e+308',
    ffefffffffffffff: '-1.7976931348623157e+308',
    '4340000000000000': '9007199254740992',
    c340000000000000: '-9007199254740992',
    '4430000000000000': '295147905179352830000',
    '44b52d02c7e14af5': '9.999999999999997e+22',
    '44b52d02c7e14af6': '1e+23',
    '44b52d02c7e14af7': '1.0000000000000001e+23',
    '444b1ae4d6e2ef4e': '999999999999999700000',
    '444b1ae4d6e2ef4f': '999999999999999900000',
    '444b1ae4d6e2ef50': '1e+21',
    '3eb0c6f7a0b5ed8c': '9.999999999999997e-7',
    '3eb0c6f7a0b5ed8d': '0.000001',
    '41b3de4355555553': '333333333.3333332',
    '41b3de4355555554': '333333333.33333325',
    '41b3de4355555555': '333333333.3333333',
    '41b3de4355555556': '333333333.3333334',
    '41b3de4355555557': '333333333.33333343',
    becbf647612f3696: '-0.0000033333333333333333',
    '43143ff3c1cb0959': '1424953923781206.2',
  };
  for (const [bits, text] of Object.entries(numbers)) {
    it(`writes the double ${bits} as ${text}`, () => {
      expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).to.equal(text);
    });
  }

  it('writes each character as JSON does, alone and in a long text', () => {
    for (let code = 0; code <= 0x2ff; code += 1) {
      for (const text of [String.fromCharCode(code), `${'a'.repeat(200)}${String.fromCharCode(code)}`]) {
        expect(canonicalJson({ [text]: text })).to.equal(JSON.stringify({ [text]: text }));
      }
    }
  });

  it('refuses what JSON cannot say, also deep inside', () => {
    for (const value of [NaN, Infinity, -Infinity, undefined, 1n, () => 1, Symbol('x')]) {
      expect(() => canonicalJson(value), String(value)).to.throw(TypeError);
      if (value !== undefined) expect(() => canonicalJson({ a: [value] }), String(value)).to.throw(TypeError);
    }
  });

  it('leaves out absent members, as the stored JSON does', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, 1] })).to.equal('{"a":[null,1]}');
  });

  it('refuses half a surrogate pair, wherever it stands, and takes what only looks like one', () => {
    for (const half of ['\ud83d', 'a\ude00', '\ude00\ud83d', '\\\udead', `${'long '.repeat(50)}\ud83d`]) {
      for (const value of [half, [half], { a: { b: half } }, { [half]: 1 }])
        expect(() => canonicalJson(value), JSON.stringify(value)).to.throw(TypeError);
    }
    for (const whole of ['\ud83d\ude00', String.raw`\ud83d`, String.raw`\\ud83d`, String.raw`\ud83d\ude00`])
      expect(JSON.parse(canonicalJson({ [whole]: whole }))).to.deep.equal({ [whole]: whole });
  });

  it('keeps nothing of names that are as long as only a stranger sends them', async () => {
    // One that no other test has filled with names.
    const fresh = await anew<typeof canonical>(new URL('../../events/canonical-json.ts', import.meta.url));
    const usedBytes = (): number => {
      // Node keeps the shape of an object, names and all, for some collections more than the object.
      for (let i = 0; i < 5; i += 1) collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = usedBytes();
    for (let i = 0; i < 100; i += 1) fresh.canonicalJson({ [`${i} ${'x'.repeat(256 * 1024)}`]: i });

    expect(usedBytes() - before).to.be.below(8 * 1024 * 1024);
  });

  it('has a text for every text of whole characters, and for no other', () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        if (/\p{Cs}/u.test(text)) expect(() => canonicalJson([text])).to.throw(TypeError);
        else expect(JSON.parse(canonicalJson([text]))).to.deep.equal([text]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes every double as ECMAScript does, so that reading it gives the same one', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(canonicalJson(value)).to.equal(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(value))).to.equal(value === 0 ? 0 : value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('orders names of any script by their UTF-16 code units', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 60, size: 'max' }), (names) => {
        const members = names.toSorted(byCodeUnits).map((name) => `${JSON.stringify(name)}:0`);
        const value = Object.fromEntries(names.map((name) => [name, 0]));
        expect(canonicalJson(value)).to.equal(`{${members.join(',')}}`);
      }),
    );
  });

  it('is what is compared of stored values too, which may hold halves', () => {
    expect(orderedJson({ b: '\ud83d', a: 1 })).to.equal(String.raw`{"a":1,"b":"\ud83d"}`);
    fc.assert(fc.property(anyJson, (value) => orderedJson(value) === canonicalJson(value)));
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is the same text however the members were ordered', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), anyJson), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).to.equal(canonicalJson(value));
      }),
    );
  });

  it('is the same text after the value was stored and read again', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(canonicalJson(JSON.parse(JSON.stringify(value)))).to.equal(canonicalJson(value));
      }),
    );
  });
});

const anyJson = fc.jsonValue({ stringUnit: 'binary' });

/** Texts as JavaScript has them, halves of characters included, many of which happen to stand beside each other. */
const anyUnits = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd7f0, max: 0xe010 })))
  .map((units) => String.fromCharCode(...units));

function byCodeUnits(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
