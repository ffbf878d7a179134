import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { idFromUuid } from '../../events/ids.ts';
import { openEventStoreDb } from '../../infra/eventstoredb/event-store.ts';
import { NO_STREAM } from '../../events/event-store.ts';
import { type Market, openMarket } from '../../src/composition/app.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { newEvent } from '../support/new-event.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

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
    const stdout = await bourseOn(settings).run('projections', 'status');
    const [, ...views] = stdout.trimEnd().split('\n');
    expect(views).not.to.have.lengthOf(0);
    for (const view of views) expect(view).to.match(/ current$/);
    await server.stop();
    await folder.remove();
  });
});

describe('bourse projections skip', () => {
  let folder: TempFolder;
  let settings: Settings;
  before(async () => {
    folder = await tempFolder();
    settings = { DATA_DIR: folder.path };
    await inMarket(settings, (market) => prepareBuyers(market, [1_000]));
  });
  after(() => folder.remove());

  const projections = (...args: string[]) => bourseOn(settings).run('projections', ...args);
  const refused = (...args: string[]) => bourseOn(settings).refused('projections', ...args);
  /** The market without its reactor, and without a word of what it stumbles over. */
  async function inSilence<Result>(work: (market: Market) => Promise<Result>): Promise<Result> {
    const market = await openMarket(readConfig(settings), createLog('silent'));
    try {
      return await work(market);
    } finally {
      await market.close();
    }
  }

  it('has a view go on without the event that it cannot take, and says where it stands until then', async () => {
    const [broken, next] = [brokenJob(), brokenJob()];
    await inSilence(async (market) => {
      const { events } = market.services;
      for (const event of [broken, next]) await events.append(`job-${event.id}`, NO_STREAM, [event]);
      await market.catchUp();
    });
    expect(await projections('status')).to.match(new RegExp(`^jobs .* stuck at ${broken.id}: `, 'm'));
    expect(await refused('skip', 'jobs', next.id, '--reason', 'the wrong one')).to.include({
      code: EXIT.refused,
      stderr: `bourse: jobs stands still at ${broken.id}: only the event at which a view stands still can be skipped\n`,
    });

    for (const { id } of [broken, next]) {
      const stdout = await projections('skip', 'jobs', id, '--reason', 'written by a broken build');
      expect(stdout).to.equal(`jobs goes on without ${id}.\n`);
    }

    expect(await projections('status')).to.match(/^jobs .* current$/m);
    const skipped = await inSilence(({ services }) => services.views.skipped());
    for (const { id } of [broken, next]) {
      const decision = skipped.find(({ eventId }) => eventId === id);
      expect(decision).to.include({ view: 'jobs', by: 'cli', reason: 'written by a broken build' });
    }
  });

  it('refuses where nothing stands still, and what is no view, event or reason', async () => {
    const { id } = brokenJob();
    expect(await refused('skip', 'agencies', id, '--reason', 'why not')).to.include({
      code: EXIT.refused,
      stderr:
        'bourse: agencies does not stand still: only the event at which a view stands still can be skipped\n',
    });
    for (const wrong of [
      ['skip', 'nothing', id, '--reason', 'why not'],
      ['skip', 'jobs', 'evt_1', '--reason', 'why not'],
      ['skip', 'jobs', id, '--reason', ''],
      ['skip', 'jobs', id],
    ]) {
      expect((await refused(...wrong)).code, wrong.join(' ')).to.equal(EXIT.usage);
    }
  });
});

/** Of a type that the view of jobs takes, with data that it cannot. */
function brokenJob() {
  return newEvent({ type: 'TrialDrafted', version: 1, data: {}, id: idFromUuid('event', randomUUID()) });
}

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
