import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { NO_STREAM } from '../../events/event-store.ts';
import { idFromUuid } from '../../events/ids.ts';
import { openMarket } from '../../src/composition/app.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { bourseOn } from '../support/bourse-command.ts';
import { readAll } from '../support/event-log.ts';
import { newEvent } from '../support/new-event.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const REACTION = 'when-agent-scored-rescore-in-time';

describe('bourse reactions', () => {
  let folder: TempFolder;
  let settings: Settings;
  before(async () => {
    folder = await tempFolder();
    settings = { DATA_DIR: folder.path };
    await inMarket(settings, (market) => prepareBuyers(market, [1_000]));
  });
  after(() => folder.remove());

  const reactions = (...args: string[]) => bourseOn(settings).run('reactions', ...args);
  const refused = (...args: string[]) => bourseOn(settings).refused('reactions', ...args);

  it('have a serving process go on without the event that it cannot take, and keep who decided it and why', async () => {
    const [broken, next] = [brokenScore(), brokenScore()];
    const market = await openMarket(readConfig(settings), createLog('silent'));
    const { events } = market.services;
    await market.start();
    const failing = () => market.services.reactions().find(({ name }) => name === REACTION)?.failing ?? null;
    for (const event of [broken, next]) await events.append(`agent-${event.id}`, NO_STREAM, [event]);
    await until('it is stuck', () => failing()?.event?.id === broken.id);
    await until('status says so', async () =>
      new RegExp(`^${REACTION} .* ${broken.id}: AgentScored of `, 'm').test(await reactions('status')),
    );
    expect(await refused('skip', REACTION, next.id, '--reason', 'the wrong one')).to.include({
      code: EXIT.refused,
      stderr: `bourse: ${REACTION} takes ${broken.id} next: only the event that a reaction takes next can be skipped\n`,
    });

    const stdout = await reactions('skip', REACTION, broken.id, '--reason', 'written by a broken build');
    expect(stdout).to.equal(`${REACTION} goes on without ${broken.id}.\n`);

    await until('it is stuck at the next', () => failing()?.event?.id === next.id);
    const [skipped] = await readAll(events, `reaction-${REACTION}`);
    expect(skipped?.type).to.equal('ReactionEventSkipped');
    expect(skipped?.meta.actor).to.equal('cli');
    expect(skipped?.data).to.include({ eventId: broken.id, reason: 'written by a broken build' });
    await market.close();
  });

  it('refuse to skip where all is taken, and what is no reaction, event or reason', async () => {
    const { id } = brokenScore();
    const idle = 'when-agency-revised-revise-listings';
    expect(await refused('skip', idle, id, '--reason', 'why not')).to.include({
      code: EXIT.refused,
      stderr: `bourse: ${idle} has taken every event: only the event that a reaction takes next can be skipped\n`,
    });
    for (const wrong of [
      ['skip', 'nothing', id, '--reason', 'why not'],
      ['skip', idle, 'evt_1', '--reason', 'why not'],
      ['skip', idle, id, '--reason', ''],
      ['skip', idle, id],
    ]) {
      expect((await refused(...wrong)).code, wrong.join(' ')).to.equal(EXIT.usage);
    }
  });
});

/** Of a type that the reaction takes, with data that nobody can read. */
function brokenScore() {
  return newEvent({ type: 'AgentScored', version: 1, data: {}, id: idFromUuid('event', randomUUID()) });
}
