/** Rights of the log's user: each that is missing is named at a start, and each that is withdrawn in /readyz and the log. */
import { expect } from 'chai';
import { StoreUnavailable } from '../../../events/event-store.ts';
import { openEventStoreDb } from '../../../infra/eventstoredb/event-store.ts';
import { buildProgram, type Life, type Program } from '../../support/built-program.ts';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb/double.ts';
import { systemEvent } from '../../support/eventstoredb/ledger.ts';
import { rejectionOf } from '../../support/rejection.ts';
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const PREFIX = 'bourse.';
const USER = { username: 'bourse', password: 'secret', isAdmin: false };
/** Longer than a start needs on a busy machine. */
const DEADLINE_MS = 120_000;

/** The one right that no user has by default. */
async function startWithUser(): Promise<EventStoreDouble> {
  const double = await startEventStoreDouble({ credentials: USER });
  grant(double, '$all', { $r: ['$admins', USER.username] });
  return double;
}

function grant({ ledger }: EventStoreDouble, stream: string, acl: object): void {
  ledger.store(`$$${stream}`, [systemEvent('$metadata', { $acl: acl })]);
}

describe('A start with EventStoreDB whose user lacks a right', () => {
  for (const [stream, rights] of [
    ['$all', ['$r']],
    [`${PREFIX}rights`, ['$r', '$w']],
    [`end-of-${PREFIX}log`, ['$r', '$w', '$mw']],
    [`identity-of-${PREFIX}log`, ['$r', '$w', '$mw']],
    [`checkpoint-of-${PREFIX}rights`, ['$r', '$w', '$mw']],
  ] as const) {
    for (const right of rights) {
      it(`names the user, ${right} and ${stream}`, async () => {
        const double = await startWithUser();
        grant(double, stream, { [right]: '$admins' });
        const failure = await rejectionOf(openEventStoreDb({ url: double.url, prefix: PREFIX }));
        expect(failure).to.be.instanceOf(StoreUnavailable);
        expect(String(failure)).to.contain('the user bourse').and.contain(`${stream}: the right ${right} is`);
        await double.stop();
      });
    }
  }

  it('succeeds with just those that are needed', async () => {
    const double = await startWithUser();
    const { close } = await openEventStoreDb({ url: double.url, prefix: PREFIX });
    await close();
    await double.stop();
  });
});

describe('A market whose user loses a right at EventStoreDB', function () {
  this.timeout(DEADLINE_MS);
  let double: EventStoreDouble;
  let folder: TempFolder;
  let program: Program;
  let life: Life;
  let url: string;
  before(async () => {
    double = await startWithUser();
    folder = await tempFolder();
    program = await buildProgram();
    life = program.start(settings());
    url = await life.url;
    await isReady();
  });
  after(async () => {
    await life.kill();
    await program.remove();
    await folder.remove();
    await double.stop();
  });
  const settings = () => ({
    DATA_DIR: folder.path,
    EVENTSTORE_URL: double.url,
    EVENTSTORE_PREFIX: PREFIX,
  });
  const readiness = async (): Promise<string> => {
    const answer = await fetch(`${url}/readyz`);
    return `${answer.status} ${await answer.text()}`;
  };
  const isReady = () =>
    until(
      'it is ready',
      async () => (await readiness()).startsWith('200 {"data":{"status":"ready"'),
      DEADLINE_MS,
    );

  for (const [stream, right] of [
    ['$all', '$r'],
    [`${PREFIX}rights`, '$w'],
  ] as const) {
    it(`is not ready without ${right} on ${stream}, says why there and in the log, and recovers`, async () => {
      const words = `the user bourse ${right === '$r' ? 'read' : 'write to'} ${stream}: the right ${right} is missing`;
      grant(double, stream, { [right]: '$admins' });
      await until('/readyz names it', async () => {
        const said = await readiness();
        return said.startsWith('503') && said.includes(words);
      });
      await until('the log names it', () => life.printed().includes(words));

      grant(double, stream, { [right]: ['$admins', USER.username] });
      await isReady();
    });
  }

  it('is degraded without $w on the checkpoint of a reaction, says so there and in the log, and recovers', async () => {
    const stream = `checkpoint-of-${PREFIX}when-agent-scored-rescore-in-time`;
    const words = `the user bourse write to ${stream}: the right $w is missing`;
    grant(double, stream, { $w: '$admins' });
    // It scores agents, so that the reaction has something to keep. On a busy machine the log may not answer it in time,
    // which it says; what was appended by then is enough.
    await program.run(settings(), ['seed']).catch((error: unknown) => {
      if (!String(error).includes('no answer to an append')) throw error;
    });
    await until(
      '/readyz names it',
      async () => {
        const said = await readiness();
        return said.startsWith('200 {"data":{"status":"degraded"') && said.includes(words);
      },
      DEADLINE_MS,
    );
    await until('the log names it', () => life.printed().includes(words));

    grant(double, stream, { $w: ['$admins', USER.username] });
    await isReady();
  });
});
