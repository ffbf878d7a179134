/** Several processes on one log: nothing is lost, nothing is overwritten, and each hears of the others. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { openSqliteLog } from '../../../infra/sqlite/event-store.ts';
import { appendInTurn, eventsOf, idsOf, pagesUntil, readAll } from '../../support/event-log.ts';
import { newStream } from '../../support/new-event.ts';
import { answerOf, type Errand, startOtherProcess } from '../../support/other-process.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

describe('two processes on one SQLite log', () => {
  let folder: TempFolder;
  let path: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('log.db');
  });

  afterEach(async () => {
    child?.kill('SIGKILL');
    child = undefined;
    await folder.remove();
  });

  const start = (errand: Errand): ChildProcess => (child = startOtherProcess(path, errand));

  it('keep every append that was acknowledged, when one of them is killed', async () => {
    const stream = newStream();
    const acknowledged: unknown[] = [];
    const other = start({ kind: 'appendForEver', stream });
    other.on('message', (id) => acknowledged.push(id));
    await until('enough is acknowledged', () => acknowledged.length >= 200);
    other.kill('SIGKILL');
    await once(other, 'exit');

    const { store } = await openSqliteLog({ path });
    const kept = await readAll(store, stream);
    expect(idsOf(kept).slice(0, acknowledged.length)).to.deep.equal(acknowledged);
    // At most the one that was on its way, too.
    expect(kept.length - acknowledged.length).to.be.oneOf([0, 1]);
    expect(await store.append(stream, kept.length - 1, [{ ...kept[0]!, id: 'evt-after' }])).to.include({
      ok: true,
    });
    await store.close();
  });

  it('race for one stream, and each revision has one winner', async () => {
    const stream = newStream();
    const { store } = await openSqliteLog({ path });
    const [theirs, ours] = await Promise.all([
      answerOf(start({ kind: 'race', stream, count: 100 })),
      appendInTurn(store, stream, 100),
    ]);

    const ids = idsOf(await readAll(store, stream));
    expect(ids).to.have.length(200);
    expect(ids).to.have.members([...(theirs as string[]), ...ours]);
    await store.close();
  });

  it('hear of each other’s appends', async () => {
    const stream = newStream();
    const { store } = await openSqliteLog({ path });
    const other = start({ kind: 'appendWhenTold', stream });
    await answerOf(other);

    let told = 0;
    const pages = await pagesUntil(store, { after: null }, (events, page) => {
      // Each time the subscription has nothing left and waits for the next.
      if (page.caughtUp && events.length === told && told < 3) {
        told += 1;
        setImmediate(() => other.send('append'));
      }
      return events.length === 3;
    });

    expect(eventsOf(pages).map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
    await store.close();
  });

  for (const close of [true, false]) {
    it(`end by themselves when they have nothing more to do, the log ${close ? 'closed' : 'still open'}`, async () => {
      const other = start({ kind: 'appendAndEnd', stream: newStream(), close });
      const [code] = await once(other, 'exit');
      expect(code).to.equal(0);

      const { store } = await openSqliteLog({ path });
      expect(await store.head()).to.equal('0000000000000001');
      await store.close();
    });
  }
});
