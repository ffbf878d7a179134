/** One market that moves into EventStoreDB and home again: it spends, reacts and is audited as if it had stayed. */
import { copyFile } from 'node:fs/promises';
import { expect } from 'chai';
import { StoreUnavailable } from '../../events/event-store.ts';
import { type Market, openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openLogAt } from '../../src/composition/engines.ts';
import { logPlaceOf } from '../../src/composition/log-place.ts';
import { createLog } from '../../src/logging/log.ts';
import {
  migrateLog,
  type MigrationOutcome,
  type MigrationProgress,
} from '../../src/migrating/migrate-log.ts';
import { reactions } from '../../src/reactions/reactions.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/double.ts';
import { readAll } from '../support/event-log.ts';
import { rejectionOf } from '../support/rejection.ts';
import { grantNew, soundAudit, tell } from '../support/run-commands.ts';
import { order, spend } from '../support/sample-mandate.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** The market runs by the real clock, and expires a draft a day after its spend. */
const now = new Date().toISOString();

describe('A market whose log moves', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let server: EventStoreDouble;
  let here: Settings;
  let away: Settings;
  let home: Settings;

  before(async () => {
    folder = await tempFolder();
    server = await startEventStoreDouble();
    here = { DATA_DIR: folder.file('here') };
    away = { ...here, EVENTSTORE_URL: server.url };
    home = { DATA_DIR: folder.file('home') };
  });

  after(async () => {
    await server.stop();
    await folder.remove();
  });

  const open = (settings: Settings): Promise<Market> => openMarket(readConfig(settings), createLog('silent'));
  const inMarket = async <Result>(settings: Settings, work: (market: Market) => Promise<Result>) => {
    const market = await open(settings);
    try {
      await market.start();
      return await work(market);
    } finally {
      await market.close();
    }
  };
  const move = async (
    from: Settings,
    to: Settings,
    watch: (progress: MigrationProgress, stop: AbortController) => void = () => {},
  ): Promise<MigrationOutcome> => {
    const logs = [from, to]
      .map((settings) => readConfig(settings))
      .map((one) => openLogAt(logPlaceOf(one), one));
    const [source, target] = [await logs[0]!, await logs[1]!];
    const stop = new AbortController();
    const onProgress = (progress: MigrationProgress): void => watch(progress, stop);
    try {
      return await migrateLog({
        source,
        target,
        reactions: Object.keys(reactions),
        patienceMs: 0,
        signal: stop.signal,
        onProgress,
      });
    } finally {
      await target.close();
      await source.close();
    }
  };
  /** A spend whose job the reaction drafts; answers once all there is has been reacted to and is in the views. */
  const spendAndDraft = async ({ services }: Market, mandateId: string, name: string): Promise<void> => {
    const wish = spend(1_000, name, { order: order(name) });
    const outcome = await tell(services.commands, mandateId, wish, { at: now });
    expect(outcome.kind).to.equal('accepted');
    const head = (): Promise<string | null> => services.events.head();
    await until('all is reacted to', async () => {
      const end = await head();
      return services.reactions().every(({ checkpoint }) => checkpoint !== null && checkpoint >= (end ?? ''));
    });
    await services.projector.caughtUp();
  };
  const typesOf = async ({ services }: Market, name: string): Promise<string[]> =>
    (await readAll(services.events, `job-${order(name).jobId}`)).map(({ type }) => type);
  const jobIn = async ({ services }: Market, name: string): Promise<unknown> =>
    JSON.parse((await services.views.getJson('jobs', order(name).jobId)) ?? 'null');

  it('goes on with each spend, each job and each view where it was', async () => {
    let mandateId = '';
    const first = await inMarket(here, async (market) => {
      mandateId = await grantNew(market.services.commands, { maxMonthlyCents: 3_000 });
      await spendAndDraft(market, mandateId, 'before');
      return {
        job: await jobIn(market, 'before'),
        audit: await soundAudit(market.services.events, mandateId),
      };
    });
    expect(await move(here, away)).to.include({ kind: 'migrated', newer: 0 });

    await inMarket(away, async (market) => {
      await market.services.projector.caughtUp();
      expect(await jobIn(market, 'before')).to.deep.equal(first.job);
      expect(await soundAudit(market.services.events, mandateId)).to.deep.equal(first.audit);
      await spendAndDraft(market, mandateId, 'away');
      expect(await typesOf(market, 'before')).to.deep.equal(['TrialDrafted']);
    });
    expect(await move(away, home)).to.include({ kind: 'migrated', newer: 0 });

    await copyFile(folder.file('here/signing-secret'), folder.file('home/signing-secret'));
    await inMarket(home, async (market) => {
      await spendAndDraft(market, mandateId, 'at home');
      for (const name of ['before', 'away', 'at home']) {
        expect(await typesOf(market, name)).to.deep.equal(['TrialDrafted']);
        expect(await jobIn(market, name)).to.include({ status: 'draft' });
      }
      const more = await tell(market.services.commands, mandateId, spend(1_000, 'too much'), { at: now });
      expect(more.kind).to.equal('rejected');
      await soundAudit(market.services.events, mandateId);
    });
  });

  it('does not start on a copy that was broken off', async () => {
    const there = { ...away, EVENTSTORE_PREFIX: 'half.' };
    const outcome = await move(here, there, ({ phase }, stop) => {
      if (phase === 'copying') stop.abort();
    });
    expect(outcome.kind).to.equal('interrupted');
    const refusal = await rejectionOf(open(there));
    expect(refusal).to.be.instanceOf(StoreUnavailable);
    expect(String(refusal)).to.contain('`bourse migrate`');

    expect(await move(here, there)).to.include({ kind: 'migrated' });
    await (await open(there)).close();
  });
});
