import { expect } from 'chai';
import { MAX_DEPTH, MAX_MEMBERS, MAX_VALUES, parseStrictJson } from '../../src/calling/strict-json.ts';

const said = (text: string): string | null => {
  const parsed = parseStrictJson(text);
  return parsed.ok ? null : parsed.refusal.message;
};
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('JSON from strangers', () => {
  it('is nested so deep and no deeper, which is seen before it is parsed', () => {
    expect(said(nested(MAX_DEPTH))).to.equal(null);
    expect(said(nested(MAX_DEPTH + 1))).to.include(`deeper than ${MAX_DEPTH} levels`);
    // What is no JSON at all is not parsed to find that out.
    expect(said('['.repeat(MAX_DEPTH + 1))).to.include('deeper');
    expect(said('{"a":'.repeat(MAX_DEPTH + 1))).to.include('deeper');
    expect(said(`["${'['.repeat(200)}"]`)).to.equal(null);
    expect(said(`[${Array.from({ length: 200 }, () => '[]').join(',')}]`)).to.equal(null);
  });

  it('has so many values and no more, which is seen before it is parsed', () => {
    const list = (count: number): string => `[${Array.from({ length: count }, () => 1).join(',')}]`;
    // The list itself is one.
    expect(said(list(MAX_VALUES - 1))).to.equal(null);
    expect(said(list(MAX_VALUES))).to.include(`more than ${MAX_VALUES} values`);
    expect(said(','.repeat(MAX_VALUES))).to.include('more than');
  });

  it('has so many members in one object and no more, which is seen before it is parsed', () => {
    const object = (count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `"k${i}":{"a":":"}`).join(',')}}`;
    expect(said(object(MAX_MEMBERS))).to.equal(null);
    expect(said(`[${object(MAX_MEMBERS)},${object(MAX_MEMBERS)}]`)).to.equal(null);
    expect(said(object(MAX_MEMBERS + 1))).to.include(`more than ${MAX_MEMBERS} members`);
    expect(said(`{"a":[1,${object(MAX_MEMBERS + 1)}]}`)).to.include('more than');
    // What is no JSON at all is not parsed to find that out.
    expect(said(`${'"a":'.repeat(MAX_MEMBERS + 1)}`)).to.include('members');
  });

  it('names no member twice, however it is written, and no __proto__', () => {
    expect(said('{"a":1,"b":{"a":1}}')).to.equal(null);
    expect(said('{"a":1,"a":1}')).to.include('twice');
    expect(said('[{"a":1,"\\u0061":2}]')).to.include('twice');
    expect(said('{"a":"b:c\\":{"}')).to.equal(null);
    expect(said('{"__proto__":{}}')).to.include('__proto__');
    expect(said('[[{"a":{"__proto__":null}}]]')).to.include('__proto__');
  });

  it('has no number that no double holds, and no half character', () => {
    expect(said('[1e308,-1e308]')).to.equal(null);
    for (const number of ['1e309', '-1e309']) expect(said(`[${number}]`), number).to.include('too large');
    expect(said('["\\ud83e\\uddfe"]')).to.equal(null);
    expect(said('["\\ud83e"]')).to.include('half a character');
  });
});
