import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { REFUSAL_STATUS } from '../../src/transport/refusal-status.ts';
import { limitSettings } from '../../src/limit-settings.ts';
import { errorsDocs, limitsDocs } from '../support/reference-docs.ts';

describe('The pages of limits and errors', () => {
  for (const [name, text] of [
    ['limits', limitsDocs()],
    ['errors', errorsDocs()],
  ] as const)
    it(`${name}.md is current (npm run docs:limits writes it)`, async () => {
      const written = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
      expect(written === text, 'run npm run docs:limits').to.equal(true);
    });

  it('have every code with its status, and every setting with its default', () => {
    for (const [code, { status, when }] of Object.entries(REFUSAL_STATUS))
      expect(errorsDocs()).to.include(`| ${status} | \`${code}\` | ${when} |`);
    for (const { name, default: value } of Object.values(limitSettings))
      expect(limitsDocs()).to.include(`| \`${name}\` | ${value} |`);
  });
});
