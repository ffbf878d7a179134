/** The demonstration key is shown by one start or another, wherever the first one was killed. */
import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import type { Settings } from '../support/served-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const SHOWN = /^ {2}(brs_ak_\w+)$/gm;
const DEADLINE_MS = 60_000;
const isShown = (life: Life): boolean => life.printed().search(SHOWN) >= 0;

/** When the first start is killed. The last is where a key that was made first and shown later would be lost. */
const MOMENTS: Readonly<Record<string, (life: Life, log: string) => boolean>> = {
  'once the log is there': (_life, log) => count(log, 'AccountOpened') !== null,
  'once the market is half filled': (_life, log) => (count(log, 'AgentPublished') ?? 0) > 5,
  'once a data set is there': (_life, log) => (count(log, 'ImportFinished') ?? 0) > 0,
  'once the plan is chosen': (_life, log) => (count(log, 'PlanChosen') ?? 0) > 0,
  'once the key is shown': isShown,
  'once the key is made': (_life, log) => (count(log, 'ApiKeyIssued') ?? 0) > 0,
};

describe('The first start, killed', function () {
  this.timeout(240_000);
  let program: Program;
  let folder: TempFolder;
  const lives: Life[] = [];
  before(async () => (program = await buildProgram()));
  beforeEach(async () => void (folder = await tempFolder()));
  afterEach(async () => {
    for (const life of lives.splice(0)) await life.kill();
    await folder.remove();
  });
  after(() => program.remove());

  function start(settings: Settings): Life {
    const life = program.start(settings, { isSeeded: true });
    lives.push(life);
    return life;
  }

  for (const [moment, isNow] of Object.entries(MOMENTS))
    it(`${moment}, has shown a demonstration key that works, or the next start does`, async () => {
      const settings = { DATA_DIR: folder.path };
      const first = start(settings);
      await until('it is the moment', () => isNow(first, folder.file('bourse.db')), DEADLINE_MS);
      await first.kill();
      // All that it said is here.
      await first.ended;
      const second = start(settings);
      const url = await second.url;
      // The last line of what it prints at its start.
      const hasSaidAll = (): boolean => isShown(first) || second.printed().includes('"brief":');
      await until('the next start has said all', hasSaidAll, DEADLINE_MS);
      const shown = [first, second].flatMap((life) => [...life.printed().matchAll(SHOWN)]);
      // The address wants the plan of the account, too.
      const works = async ([, key]: RegExpExecArray): Promise<boolean> => {
        const answer = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
        return answer.status === 200;
      };
      // The view of keys may still have the last event before it.
      await until(
        'one of them works',
        async () => (await Promise.all(shown.map(works))).includes(true),
        30_000,
      );
      expect(count(folder.file('bourse.db'), 'ImportFinished'), 'data sets').to.equal(4);
      expect(count(folder.file('bourse.db'), 'PlanChosen'), 'plans').to.equal(1);
      expect(await second.stop()).to.equal(0);
    });
});

/** How many events of the type the log has; null while there is none to be read. */
function count(path: string, type: string): number | null {
  let db;
  try {
    db = new Sqlite(path, { readonly: true, fileMustExist: true });
    return (
      db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM events WHERE type = ?').get(type)?.n ?? 0
    );
  } catch {
    return null;
  } finally {
    db?.close();
  }
}
