/** A process that is told to stop waits for nothing that another one may never bring about. */
import { readdir, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Market, openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('A worker whose reaction waits for a view that nobody keeps', () => {
  it('stops at once, and tells of no failure', async () => {
    const folder = await tempFolder();
    const settings = { DATA_DIR: folder.path };
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const seeded = await openMarket(readConfig(settings), log);
    await seeded.seed();
    await seeded.close();
    for (const file of await readdir(folder.path))
      if (file.startsWith('views.db')) await rm(folder.file(file));

    const market = await openMarket(readConfig({ ...settings, ROLE: 'worker' }), log);
    await market.start();
    const waiting = 'when-methodology-published-rescore-agents';
    await until(
      'the others have reacted',
      () => positionOf(market, 'when-mandate-spent-create-trial') !== null,
    );
    await pause(100);
    expect(positionOf(market, waiting)).to.equal(null);
    await market.close();
    expect(lines.filter((line) => line.includes(waiting))).to.deep.equal([]);
    await folder.remove();
  });
});

function positionOf({ services }: Market, reaction: string): string | null {
  return services.reactions().find(({ name }) => name === reaction)?.checkpoint ?? null;
}
