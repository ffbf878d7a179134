import { expect } from 'chai';
import type { TestApi } from '../support/api.ts';
import { attributeOf, elementsOf } from '../support/markup.ts';
import { read, startSeededSite } from '../support/seeded-site.ts';

describe('Files that pages use', () => {
  let api: TestApi;
  const paths = new Set<string>();
  before(async () => {
    api = await startSeededSite();
    for (const page of ['/', '/docs']) {
      for (const element of elementsOf((await read(api, page)).text)) {
        const path = attributeOf(element, 'src') ?? attributeOf(element, 'href') ?? '';
        if (path.startsWith('/assets/')) paths.add(path);
      }
    }
  });
  after(() => api.close());

  it('are ours: two styles and two scripts for the reference beside the style of all pages', () => {
    expect([...paths].map((path) => path.replace(/-[\w.]+(?=\.(?:css|js)$)/, ''))).to.have.members([
      '/assets/site.css',
      '/assets/swagger-ui.css',
      '/assets/reference.css',
      '/assets/swagger-ui.js',
      '/assets/reference.js',
    ]);
  });

  it('may be kept for ever, are sent compressed to those who take that, and are the same either way', async () => {
    for (const path of paths) {
      const plain = await read(api, path, { 'Accept-Encoding': 'identity' });
      const zipped = await read(api, path, { 'Accept-Encoding': 'gzip' });

      expect(plain.status).to.equal(200);
      expect(plain.headers.get('Cache-Control')).to.equal('public, max-age=31536000, immutable');
      expect(plain.headers.get('Vary')).to.equal('Accept-Encoding');
      expect(plain.type).to.match(path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/);
      expect([plain.headers.get('Content-Encoding'), zipped.headers.get('Content-Encoding')]).to.deep.equal([
        null,
        'gzip',
      ]);
      expect(zipped.text).to.equal(plain.text);
      expect(plain.headers.get('ETag')).to.not.equal(zipped.headers.get('ETag'));
    }
  });

  it('are not there under the name of another content', async () => {
    expect((await read(api, '/assets/site-000000000000.css')).status).to.equal(404);
    expect((await read(api, '/assets/../package.json')).status).to.equal(404);
  });
});
