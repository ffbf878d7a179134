import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { eventCatalog } from '../../events/catalog.ts';
import { eventDocs } from '../../infra/tools/event-docs-text.ts';

describe('docs/events.md', () => {
  it('is current (npm run docs:events writes it)', async () => {
    const written = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
    expect(written === eventDocs(), 'run npm run docs:events').to.equal(true);
  });

  it('has every event, when it happens, and an example that its schema takes', () => {
    const docs = eventDocs();
    for (const { type, summary, data, example } of eventCatalog) {
      expect(docs).to.include(`### ${type}\n`).and.include(summary);
      expect(data.safeParse(example).success, type).to.equal(true);
    }
  });
});
