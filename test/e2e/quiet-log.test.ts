/** Processes whose log was in trouble, on a market where nothing happens: a good look ends it, and not the next event. */
import { expect } from 'chai';
import { openMarket, type Market } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { inMarket } from '../support/own-market.ts';
import { grantNew } from '../support/run-commands.ts';
import { type ServedDouble, startServedDouble } from '../support/served-double.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const SETTINGS = { EVENTSTORE_PREFIX: 'quiet.', SIGNING_SECRET: 's'.repeat(64), LOG_LEVEL: 'silent' };
/** The program tries for some seconds before it calls it trouble. */
const DEADLINE_MS = 60_000;

describe('On a quiet market, a projector and a worker whose log was away', function () {
  this.timeout(4 * DEADLINE_MS);
  let folder: TempFolder;
  let server: ServedDouble;
  const opened: Market[] = [];
  before(async () => {
    folder = await tempFolder();
    server = await startServedDouble();
    await inMarket(settings('all'), async ({ services }) => {
      await grantNew(services.commands);
      await services.projector.caughtUp();
    });
  });
  after(async () => {
    for (const market of opened) await market.close();
    await server.close();
    await folder.remove();
  });

  const settings = (role: string) => ({
    ...SETTINGS,
    ROLE: role,
    DATA_DIR: folder.path,
    EVENTSTORE_URL: server.url,
  });
  async function open(role: string): Promise<Market['services']> {
    const market = await openMarket(readConfig(settings(role)), createLog('silent'));
    opened.push(market);
    await market.start();
    return market.services;
  }

  it('are well again as soon as it is back, whatever it was', async () => {
    const [projecting, working] = [await open('projector'), await open('worker')];
    const isProjecting = async (): Promise<boolean> => {
      const { isRunning, projectorError, views } = await projecting.projector.status();
      return isRunning && projectorError === null && views.every(({ isHealthy }) => isHealthy);
    };
    const isReacting = (): boolean => {
      const all = working.reactions();
      return all.length > 0 && all.every(({ failing }) => failing === null);
    };
    const areWell = (): Promise<boolean> =>
      isProjecting().then(
        (isSo) => isSo && isReacting(),
        () => false,
      );
    const areUnwell = (): Promise<boolean> =>
      isProjecting().then(
        (isSo) => !isSo && !isReacting(),
        () => !isReacting(),
      );
    await until('both are well', areWell, DEADLINE_MS);
    const head = await projecting.events.head();

    await server.kill();
    await until('both say that it is away', areUnwell, DEADLINE_MS);
    await server.start();
    await until('both are well again', areWell, DEADLINE_MS);

    server.silence();
    await until('both say that it is silent', areUnwell, DEADLINE_MS);
    server.wake();
    await until('both are well again', areWell, DEADLINE_MS);
    expect(await projecting.events.head(), 'nothing happened').to.equal(head);
  });
});
