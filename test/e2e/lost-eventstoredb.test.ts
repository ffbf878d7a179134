/** A market on EventStoreDB whose database comes back emptied, rolled back or as another one: nothing is written to it. */
import { copyFile } from 'node:fs/promises';
import { expect } from 'chai';
import { LogLost } from '../../events/event-store.ts';
import { acceptLoss, findLoss } from '../../src/checking/accept-loss.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openFollowedLog } from '../../src/composition/engines.ts';
import { createLog } from '../../src/logging/log.ts';
import type { Market } from '../../src/composition/app.ts';
import { reactions } from '../../src/reactions/reactions.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { type KeptLedger, openKeptLedger } from '../support/eventstoredb/kept-log.ts';
import { inMarket } from '../support/own-market.ts';
import { rejectionOf } from '../support/rejection.ts';
import { call, grantNew, spendOf, tell } from '../support/run-commands.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const CENTS = 1_000;
const now = new Date().toISOString();

describe('A market on an EventStoreDB that is not the one that its followers know', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let kept: KeptLedger;
  let server: EventStoreDouble;
  let mandateId: string;

  beforeEach(async () => {
    folder = await tempFolder();
    await begin('database');
    await inMarket(settings(), async (market) => {
      mandateId = await grantNew(market.services.commands, { maxMonthlyCents: 5 * CENTS });
      await spendAndFollow(market);
    });
    await copyFile(folder.file('database'), folder.file('earlier'));
    await inMarket(settings(), async (market) => {
      await spendAndFollow(market);
      await spendAndFollow(market);
    });
    await end();
  });
  afterEach(async () => {
    await end();
    await folder.remove();
  });

  const settings = () => ({ DATA_DIR: folder.file('data'), EVENTSTORE_URL: server.url, LOG_LEVEL: 'silent' });
  async function begin(name: string, place: { readonly port?: number } = {}): Promise<void> {
    kept = openKeptLedger(folder.file(name));
    server = await startEventStoreDouble({ ledger: kept.ledger, ...place });
  }
  async function end(): Promise<void> {
    await server.stop();
    try {
      kept.close();
    } catch {
      // It was closed before.
    }
  }
  async function spendAndFollow({ services }: Market): Promise<void> {
    expect((await tell(services.commands, mandateId, spendOf(CENTS), { at: now })).kind).to.equal('accepted');
    await until('all is reacted to', async () => {
      const head = (await services.events.head()) ?? '';
      return services.reactions().every(({ checkpoint }) => checkpoint !== null && checkpoint >= head);
    });
    await services.projector.caughtUp();
  }
  const isRefused = (problem: RegExp): Promise<void> =>
    inMarket(settings(), async ({ services }) => {
      const head = await services.events.head();
      const refused = await rejectionOf(tell(services.commands, mandateId, spendOf(CENTS), { at: now }));
      expect(refused).to.be.instanceOf(LogLost).and.to.match(problem);
      expect(await rejectionOf(services.events.checkWritable?.() ?? Promise.resolve())).to.equal(refused);
      expect(await services.events.head()).to.equal(head);
      expect(services.duties()).to.deep.equal([]);
    });

  /** @param beforeViewsGo once the loss is recorded */
  async function accept(beforeViewsGo: () => void = () => {}) {
    const engine = await openFollowedLog(readConfig(settings()), createLog('silent'));
    const views = {
      ...engine.views,
      async forgetAll() {
        beforeViewsGo();
        await engine.views.forgetAll();
      },
    };
    const parts = { ...engine, views, reactions: Object.keys(reactions), onProgress: () => {} };
    try {
      const loss = await findLoss(parts);
      if (loss === null) throw new Error('nothing was lost');
      return await acceptLoss(parts, loss, 'A node came back with an older disk.', call({ at: now }));
    } finally {
      await engine.close();
    }
  }

  it('refuses one that is empty, and takes the right one back', async () => {
    await begin('empty');
    await isRefused(/follows another log/);
    await end();
    await begin('database');
    await inMarket(settings(), spendAndFollow);
  });

  it('notices one that is put in its place while nobody reads on', async () => {
    await begin('database');
    const { port } = server;
    await inMarket({ ...settings(), ROLE: 'api', SIGNING_SECRET: 's'.repeat(64) }, async (market) => {
      expect((await tell(market.services.commands, mandateId, spendOf(CENTS), { at: now })).kind).to.equal(
        'accepted',
      );
      await end();
      await begin('empty', { port });
      const isLost = async (): Promise<boolean> => {
        try {
          await market.services.events.checkWritable?.();
          return false;
        } catch (error) {
          return error instanceof LogLost;
        }
      };
      await until('it is known as lost', isLost);
      const refused = await rejectionOf(
        tell(market.services.commands, mandateId, spendOf(CENTS), { at: now }),
      );
      expect(refused).to.be.instanceOf(LogLost);
    });
  });

  it('refuses one that was rolled back, until the loss is accepted, and passes no cap then', async () => {
    await begin('earlier');
    await isRefused(/has seen \d{19}-\d{19} of 20\S+Z/);

    expect(await accept()).to.deep.include({ spends: 2, amountCents: 2 * CENTS });

    await inMarket(settings(), async (market) => {
      await market.services.projector.caughtUp();
      await spendAndFollow(market);
      await spendAndFollow(market);
      const more = await tell(market.services.commands, mandateId, spendOf(CENTS), { at: now });
      expect(more.kind).to.equal('rejected');
    });
  });

  it('works on after a loss whose acceptance died once it was recorded', async () => {
    await begin('earlier');
    const died = accept(() => {
      throw new Error('died');
    });
    expect(await rejectionOf(died)).to.match(/died/);
    await accept();
    await inMarket(settings(), spendAndFollow);
  });

  it('refuses one that was rolled back and has gone on since', async () => {
    await begin('earlier');
    const elsewhere = { ...settings(), DATA_DIR: folder.file('elsewhere') };
    await inMarket(elsewhere, async (market) => {
      for (let made = 0; made < 4; made += 1) await spendAndFollow(market);
    });
    await isRefused(/has seen another event at/);
  });
});
