/** The double as a process: killed at any moment, it comes back with all that it acknowledged. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { expect } from 'chai';
import { listenAnywhere } from '../ports.ts';
import { startServedDouble, type ServedDouble } from '../served-double.ts';
import { type TempFolder, tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { clientOf, collect, event, events, placeOf, WAYS } from './client-of.ts';
import { openKeptLedger } from './kept-log.ts';
import { systemEvent } from './ledger.ts';

const SERVE = fileURLToPath(new URL('serve.ts', import.meta.url));
const START_DEADLINE_MS = 60_000;

describe('EventStoreDB’s double as a process', function () {
  this.timeout(START_DEADLINE_MS);

  describe('that keeps what it acknowledges', () => {
    let served: ServedDouble;
    let client: EventStoreDBClient;
    beforeEach(async () => {
      served = await startServedDouble('24.2');
      client = clientOf(served);
    });
    afterEach(async () => {
      await client.dispose();
      await served.close();
    });
    const startAgain = async (): Promise<void> => {
      await client.dispose();
      await served.start();
      client = clientOf(served);
    };

    it('is killed under appends and has each that was acknowledged, where it was', async () => {
      const acknowledged = new Map<string, string>();
      const write = async (stream: string): Promise<void> => {
        for (let n = 0; ; n += 1) {
          const expectedRevision = n === 0 ? NO_STREAM : BigInt(n - 1);
          const place = await client
            .appendToStream(stream, event(), { expectedRevision })
            .then(placeOf, () => null);
          if (place === null) return;
          acknowledged.set(stream, place);
        }
      };
      const writing = ['a', 'b', 'c'].map(write);
      await until('each of them has some', () => acknowledged.size === 3);
      await served.kill();
      await Promise.all(writing);
      await startAgain();

      for (const [stream, place] of acknowledged) {
        const [revision = '', position] = place.split('@');
        const read = await collect(
          client.readStream(stream, { fromRevision: BigInt(revision), maxCount: 1 }),
        );
        expect(String(read[0]?.event?.position?.commit)).to.equal(position);
      }
    });

    it('remembers deletions, tombstones and metadata', async () => {
      await client.appendToStream('deleted', events(2));
      await client.deleteStream('deleted');
      await client.appendToStream('ended', events(1));
      await client.tombstoneStream('ended');
      await client.setStreamMetadata('bounded', { maxCount: 1 });
      await client.appendToStream('bounded', events(3));
      await served.kill();
      await startAgain();

      const read = (stream: string) =>
        collect(client.readStream(stream)).then(
          ({ length }) => length,
          ({ type }) => type,
        );
      expect(await read('deleted')).to.equal('stream-not-found');
      expect(await read('ended')).to.equal('stream-deleted');
      expect(await read('bounded')).to.equal(1);
      expect(placeOf(await client.appendToStream('deleted', events(1)))).to.match(/^2@/);
    });

    it('is paused, and answers when it goes on', async () => {
      await client.appendToStream('s', events(1));
      served.silence();
      const appending = client.appendToStream('s', events(1), WAYS['unary append']);
      served.wake();
      expect((await appending).nextExpectedRevision).to.equal(1n);
    });
  });

  it('refuses what it cannot serve in one line', async () => {
    const taken = createServer();
    const port = await listenAnywhere(taken);
    const folder = await tempFolder();
    writeFileSync(folder.file('damaged'), 'not a line of a double\nand another\n');
    for (const [args, words] of [
      [[], '--generation is 23.10 or 24.2'],
      [['--generation', '23.10', '--port', 'high'], '--port is a number'],
      [['--generation', '23.10', '--port', `${port}`], `--port ${port} cannot be used`],
      [['--generation', '23.10', '--keep', '/nowhere/log'], '--keep /nowhere/log cannot be used'],
      [['--generation', '23.10', '--keep', folder.file('damaged')], 'line 1 is none'],
      [['--generation', '23.10', '--colour'], "Unknown option '--colour'"],
      [['--generation', '23.10', 'more'], "Unexpected argument 'more'"],
    ] as const) {
      const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', 'tsx', SERVE, ...args], {
        encoding: 'utf8',
        timeout: START_DEADLINE_MS,
      });
      expect(stderr, args.join(' '))
        .to.contain(words)
        .and.match(/^[^\n]+\n$/);
      expect([status, stdout]).to.deep.equal([2, '']);
    }
    taken.close();
    await folder.remove();
  });
});

describe('A ledger of EventStoreDB’s double that is kept in a file', () => {
  let folder: TempFolder;
  let path: string;
  beforeEach(async () => {
    folder = await tempFolder();
    path = folder.file('log');
  });
  afterEach(() => folder.remove());
  const write = (...types: string[]): void => {
    const { ledger, close } = openKeptLedger(path);
    for (const type of types) ledger.store('s', [systemEvent(type, { text: 'ü\n' })]);
    close();
  };
  const typesKept = (): readonly string[] => {
    const { ledger, close } = openKeptLedger(path);
    close();
    return ledger.stream('s').map(({ type }) => type);
  };

  it('is the same when it is opened again, byte for byte', () => {
    const first = openKeptLedger(path);
    first.ledger.store('s', [systemEvent('One', { text: 'ü\n' }), systemEvent('Two', {})]);
    first.ledger.storeNothing('s');
    first.ledger.tombstone('t');
    first.ledger.store('s', [systemEvent('Three', {})]);
    first.close();

    const again = openKeptLedger(path);
    again.close();
    expect(again.ledger.log).to.deep.equal(first.ledger.log);
    expect(again.ledger.end()).to.equal(first.ledger.end());
  });

  it('loses of a torn end only what was not acknowledged, wherever it is torn, and goes on from there', () => {
    write('First');
    const kept = readFileSync(path);
    write('Second');
    const whole = readFileSync(path);
    for (const length of [kept.length, kept.length + 1, kept.length + 9, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      expect(typesKept(), `${length}`).to.deep.equal(['First']);
      write('Third');
      expect(typesKept(), `${length}`).to.deep.equal(['First', 'Third']);
      truncateSync(path);
    }
  });

  it('does not take a last line for a write whose bytes did not all arrive', () => {
    write('First', 'Second');
    const bytes = readFileSync(path);
    bytes.fill(0, bytes.length - 20, bytes.length - 1);
    writeFileSync(path, bytes);
    expect(typesKept()).to.deep.equal(['First']);
  });

  it('is refused where something before its last line is damaged', () => {
    write('First');
    appendFileSync(path, 'damage\n');
    appendFileSync(path, readFileSync(path).subarray(0, 10));
    expect(() => typesKept()).to.throw('is damaged: line 4');
  });

  it('keeps nothing that was not replicated', () => {
    const { ledger, close } = openKeptLedger(path);
    ledger.store('s', [systemEvent('Kept', {})]);
    ledger.replication.hold();
    ledger.store('s', [systemEvent('Held', {})]);
    close();
    expect(typesKept()).to.deep.equal(['Kept']);
  });
});
