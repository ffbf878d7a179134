import { expect } from 'chai';
import { HtmlValidate } from 'html-validate';
import type { TestApi } from '../support/api.ts';
import { publishHostile } from '../support/hostile-market.ts';
import { EACH_PAGE, read, startSeededSite } from '../support/seeded-site.ts';

/** The standard as it is; how markup is laid out is for the formatter. */
const validator = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
  rules: { 'require-sri': 'off', 'long-title': 'off' },
});

describe('The HTML of', () => {
  let api: TestApi;
  before(async () => {
    api = await startSeededSite();
    await publishHostile(api.services);
  });
  after(() => api.close());

  for (const path of [...EACH_PAGE, '/agents?cursor=none', '/nothing', '/agents/markup', '/bundles/quotes']) {
    it(`${path} is valid`, async () => {
      const { text } = await read(api, path);
      const { results } = await validator.validateString(text);
      const faults = results.flatMap(({ messages }) =>
        messages.map(({ line, ruleId, message }) => `${line}: ${ruleId}: ${message}`),
      );
      expect(faults).to.deep.equal([]);
    });
  }
});
