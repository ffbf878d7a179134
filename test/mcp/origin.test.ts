import { expect } from 'chai';
import { createOriginCheck } from '../../src/mcp/origin.ts';

describe('The origins that may call MCP', () => {
  for (const base of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    const isOwn = createOriginCheck(base);
    it(`of ${base}: its own, the pages of this machine, and programs`, () => {
      for (const origin of [
        undefined,
        base,
        'http://localhost:6274',
        'http://127.0.0.1:3000',
        'http://[::1]',
      ])
        expect(isOwn(origin), origin).to.equal(true);
    });
    it(`of ${base}: nobody else’s, whatever it looks like`, () => {
      for (const origin of [
        'http://evil.example',
        'http://evil.example:8080',
        'http://localhost.evil.example',
        'http://127.0.0.1.evil.example',
        'https://localhost:6274',
        'http://10.0.0.1:8080',
        'null',
        '',
        'chrome-extension://abc',
      ])
        expect(isOwn(origin), origin).to.equal(false);
    });
  }

  it('of a public service: its own alone', () => {
    const isOwn = createOriginCheck('https://bourse.example');
    expect(isOwn('https://bourse.example')).to.equal(true);
    for (const origin of ['http://bourse.example', 'https://bourse.example:444', 'http://localhost:6274'])
      expect(isOwn(origin), origin).to.equal(false);
  });
});
