import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { TestApi } from '../support/api.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { HOSTILE_TEXTS, publishHostile } from '../support/hostile-market.ts';
import { EACH_PAGE, startSeededSite } from '../support/seeded-site.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const PHONE = { width: 390, height: 844 };

describe('In a browser', () => {
  let api: TestApi;
  let browser: Browser;
  before(async function () {
    const path = browserPath();
    if (path === null) {
      process.stdout.write('  no Chromium is installed, so no page is opened in a browser\n');
      return this.skip();
    }
    api = await startSeededSite();
    await publishHostile(api.services);
    browser = await openBrowser(path);
  });
  after(async () => {
    await browser?.close();
    await api?.close();
  });

  /** Opens a page and hands it over, with everything that went wrong or ran in it. */
  async function opened(
    path: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<readonly string[]> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => {
      // The status of the page itself is no trouble of the page.
      if (message.type() === 'error' && !message.text().includes('the server responded with a status')) {
        troubles.push(message.text());
      }
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(`a dialog said ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(api.url) && !request.url().startsWith('data:'))
        troubles.push(request.url());
    });
    await page.goto(api.url + path, { waitUntil: 'load' });
    const isInteractive = path.startsWith('/docs') && options.javaScriptEnabled !== false;
    if (isInteractive) await page.locator('.opblock').first().waitFor();
    await look(page);
    await context.close();
    return troubles;
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const path of EACH_PAGE) {
      it(`axe finds nothing serious on ${path} in the ${colorScheme}`, async () => {
        // Axe is put into the page from outside, which its policy rightly would not allow.
        await opened(path, { colorScheme, bypassCSP: true }, async (page) => {
          await page.evaluate(AXE);
          const results = await page.evaluate<AxeResults>('axe.run()');
          const serious = results.violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .flatMap(({ id, nodes }) =>
              nodes.map(({ target, failureSummary }) => [id, target, failureSummary]),
            );
          expect(serious).to.deep.equal([]);
        });
      });
    }
  }

  for (const path of EACH_PAGE) {
    it(`${path} keeps to its policy, asks nobody else, and fits a phone`, async () => {
      const troubles = await opened(path, { viewport: PHONE }, async (page) => {
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(width).to.be.at.most(PHONE.width);
      });
      expect(troubles).to.deep.equal([]);
    });
  }

  it('hostile listings run nothing', async () => {
    for (const slug of Object.keys(HOSTILE_TEXTS)) {
      for (const path of [`/agents/${slug}`, `/bundles/${slug}`]) {
        expect(await opened(path, {}, async () => {})).to.deep.equal([]);
      }
    }
  }).timeout(120_000);

  it('the reference is there, and an operation can be tried in it', async () => {
    const troubles = await opened('/docs#/directory/getMethodology', {}, async (page) => {
      await page.getByRole('button', { name: 'Execute' }).first().click();
      await page.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).waitFor();
      expect(await page.locator('.live-responses-table').first().innerText()).to.include(
        'How agents are verified',
      );
    });
    expect(troubles).to.deep.equal([]);
  });

  it('the reference shows the Data API too', async () => {
    const troubles = await opened('/docs', {}, async (page) => {
      await page.getByLabel('API:').selectOption({ label: 'Data API' });
      await page.getByText('/api/v1/changes', { exact: false }).first().waitFor();
      await page.getByLabel('API:').selectOption({ label: 'Marketplace' });
      await page.getByText('/v1/methodology', { exact: false }).first().waitFor();
    });
    expect(troubles).to.deep.equal([]);
  });

  it('the reference lists every operation where no script runs', async () => {
    await opened('/docs', { javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('.operations dt').count()).to.be.at.least(40);
      expect(await page.getByText('POST /v1/trials', { exact: true }).isVisible()).to.equal(true);
    });
  });
});
