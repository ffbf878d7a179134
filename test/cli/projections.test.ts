import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { idFromUuid } from '../../events/ids.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const bourse = fileURLToPath(new URL('../../src/cli/bourse.ts', import.meta.url));
const run = promisify(execFile);
/** Those of others of which EventStoreDB tells whoever follows our log. */
const MANY_EVENTS = 1_000;

describe('bourse projections status', () => {
  it('calls views current that stand beyond the last of our events in a database of many', async () => {
    const folder = await tempFolder();
    const server = await startEventStoreDouble();
    const settings = { DATA_DIR: folder.path, EVENTSTORE_URL: server.url };
    await inMarket(settings, async (market) => {
      await prepareBuyers(market, [1_000]);
      await writeAsOthers(server.url);
      await until('the views stand beyond the last of our events', async () => {
        const { head, views } = await market.services.projector.status();
        return views.every(({ checkpoint }) => checkpoint !== null && head !== null && checkpoint > head);
      });
    });
    const { stdout } = await run(process.execPath, ['--import', 'tsx', bourse, 'projections', 'status'], {
      env: { ...process.env, ...settings },
    });
    const [, ...views] = stdout.trimEnd().split('\n');
    expect(views).not.to.have.lengthOf(0);
    for (const view of views) expect(view).to.match(/ current$/);
    await server.stop();
    await folder.remove();
  }).timeout(60_000);
});

async function writeAsOthers(url: string): Promise<void> {
  const { store, close } = await openEventStoreDb({ url, prefix: 'others.' });
  const events = Array.from({ length: MANY_EVENTS }, () => ({
    id: idFromUuid('event', randomUUID()),
    type: 'Other',
    version: 1,
    at: '2026-11-01T00:00:00.000Z',
    data: {},
    meta: { actor: 'test', requestId: 'r', commandId: 'c' },
  }));
  await store.append('stream', -1, events);
  await close();
}
