import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { scanHouse } from './import-scanner.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('the house', () => {
  it('keeps its arrows: every import points the way design allows', () => {
    const { dependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

    const violations = scanHouse(ROOT, Object.keys(dependencies));

    const report = violations.map((v) => `${v.file}:${v.line} ${v.rule}: ${v.message}`);
    expect(report).to.deep.equal([]);
  });
});
