import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { mandateDecider } from '../../commands/mandate/mandate.ts';
import { idFrom } from '../../events/ids.ts';
import { memoryEventStore } from '../contract/memory/event-store.ts';
import { exportLine, readLine } from '../../src/audit/export-line.ts';
import { exportLog } from '../../src/audit/export-log.ts';
import { readLines } from '../../src/audit/read-lines.ts';
import { verifyExport, type ExportFinding } from '../../src/audit/verify-export.ts';
import { createKey } from '../../src/operations/keys/create-key.ts';
import { createCommandRunner } from '../../src/commanding/command-runner.ts';
import { grant, order } from '../support/sample-mandate.ts';
import { tempFolder } from '../support/temp-folder.ts';

const START = Date.parse('2026-11-27T09:30:00.000Z');

/** Three keys that spend by turns, one suspended and resumed, one amended, over two months. */
async function exported(): Promise<string[]> {
  const events = memoryEventStore();
  const commands = createCommandRunner(events);
  let atMs = START;
  const at = (): string => new Date((atMs += 3_600_000)).toISOString();
  const call = (id: string) => ({ at: at(), actor: 'cli', requestId: 'test', commandId: id });
  const keys = [];
  for (const name of ['one', 'two', 'three']) {
    const made = await createKey(
      { commands, keyPrefix: 'brs' },
      { account: name, name, scopes: ['trials:create'], agency: null, terms: grant().terms },
      { at: at(), actor: 'cli', requestId: 'test' },
    );
    if (!made.ok) throw new Error(made.refusal.message);
    keys.push(made.created);
  }
  for (let i = 0; i < 60; i += 1) {
    const key = keys[i % 3]!;
    const seed = `spend ${i}`;
    const spendId = idFrom('spend', at(), seed);
    const { keyId, mandateId } = key;
    const spend = {
      type: 'SpendAgainstMandate',
      spendId,
      keyId,
      action: 'trial:create',
      amountCents: 100,
    } as const;
    await commands.run(mandateDecider, mandateId, { ...spend, order: order(seed) }, call(seed));
    if (i === 20)
      await commands.run(mandateDecider, mandateId, { type: 'SuspendMandate', reason: '“ü”' }, call('s'));
    if (i === 23) await commands.run(mandateDecider, mandateId, { type: 'ResumeMandate' }, call('r'));
    if (i === 31)
      await commands.run(
        mandateDecider,
        mandateId,
        { type: 'AmendMandate', changes: grant().terms },
        call('a'),
      );
  }
  const lines: string[] = [];
  for await (const line of exportLog(events, {
    exportedAt: new Date(atMs).toISOString(),
    withClearText: false,
  }))
    lines.push(line.slice(0, -1));
  return lines;
}

describe('An audit export', () => {
  let lines: string[];
  before(async () => (lines = await exported()));

  it('has no line with half a character in it', () => {
    const line = lines[3]!.replace('"actor":"cli"', String.raw`"actor":"\ud83d"`);
    expect(line).to.contain('ud83d');
    expect(readLine(line)).to.equal('its text is not as it was written');
  });

  const firstOf = async (changed: readonly string[]): Promise<ExportFinding | undefined> =>
    (await verifyExport(changed)).findings[0];

  it('verifies as it was written', async () => {
    const report = await verifyExport(lines);
    expect(report.findings).to.deep.equal([]);
    expect(report).to.include({ lines: lines.length, events: lines.length - 2, mandates: 3 });
  });

  it('of nothing is a finding, however well its lines hold together', async () => {
    const none: string[] = [];
    const options = { exportedAt: new Date(START).toISOString(), withClearText: false };
    for await (const line of exportLog(memoryEventStore(), options)) none.push(line.slice(0, -1));
    const { findings, ...counts } = await verifyExport(none);
    expect(counts).to.include({ lines: 2, events: 0, mandates: 0 });
    expect(findings).to.deep.equal([
      { line: 2, wrong: 'missing', problem: 'it has no event: nothing was exported' },
    ]);
  });

  it('is read from a file as it was written', async () => {
    const folder = await tempFolder();
    const path = folder.file('export.ndjson');
    await writeFile(path, lines.map((line) => `${line}\n`).join(''));
    expect((await verifyExport(readLines(path))).findings).to.deep.equal([]);
    await writeFile(path, lines.join('\n'));
    expect((await verifyExport(readLines(path))).findings[0]).to.include({
      line: lines.length,
      wrong: 'changed',
    });
    await folder.remove();
  });

  const anyLine = () => fc.integer({ min: 0, max: lines.length - 1 });

  it('tells a changed line, whichever character it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLine(),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        async (i, where, char) => {
          const line = lines[i]!;
          const at = where % line.length;
          fc.pre(line[at] !== char);
          const changed = line.slice(0, at) + char + line.slice(at + 1);
          expect(await firstOf(lines.with(i, changed))).to.include({ line: i + 1, wrong: 'changed' });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('tells a changed line whose own hash was made to fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: lines.length - 3 }), async (i) => {
        const line = readLine(lines[i]!);
        if (typeof line === 'string' || line.body.kind !== 'event') throw new Error('not an event');
        const event = { ...line.body.event, at: '2026-11-27T00:00:00.000Z' };
        const { text } = exportLine(line.n, line.prev, { kind: 'event', event });
        const found = (await verifyExport(lines.with(i, text))).findings;
        expect(found.some((one) => one.line === i + 1 && one.wrong === 'changed')).to.equal(true);
      }),
      { numRuns: 40 },
    );
  });

  it('tells a line that is missing, also the last', async () => {
    await fc.assert(
      fc.asyncProperty(anyLine(), async (i) => {
        expect(await firstOf(lines.toSpliced(i, 1))).to.include({ line: i + 1, wrong: 'missing' });
      }),
      { numRuns: 60 },
    );
  });

  it('tells a line that stands twice', async () => {
    await fc.assert(
      fc.asyncProperty(anyLine(), anyLine(), async (i, j) => {
        const found = await firstOf(lines.toSpliced(j, 0, lines[i]!));
        expect(found?.wrong).to.be.oneOf(['inserted', 'reordered', 'forked', 'missing']);
        expect(found?.line).to.be.within(Math.min(i, j) + 1, Math.max(i, j) + 2);
      }),
      { numRuns: 60 },
    );
  });

  it('tells a line that was made up, however well its hashes fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: lines.length - 3 }), async (i) => {
        const before = readLine(lines[i]!);
        if (typeof before === 'string' || before.body.kind !== 'event') throw new Error('not an event');
        const event = { ...before.body.event, id: 'evt_forged', revision: before.body.event.revision + 1 };
        const { text } = exportLine(before.n + 1, before.hash, { kind: 'event', event });
        const found = await firstOf(lines.toSpliced(i + 1, 0, text));
        expect(found?.line).to.be.within(i + 2, i + 3);
        expect(found?.wrong).to.be.oneOf(['forked', 'inserted', 'changed']);
      }),
      { numRuns: 40 },
    );
  });

  it('tells two lines that changed places', async () => {
    await fc.assert(
      fc.asyncProperty(anyLine(), anyLine(), async (a, b) => {
        fc.pre(a !== b);
        const [i, j] = a < b ? [a, b] : [b, a];
        const found = await firstOf(lines.with(i, lines[j]!).with(j, lines[i]!));
        expect(found).to.include({ line: i + 1 });
        expect(found?.wrong).to.be.oneOf(['reordered', 'inserted', 'missing']);
      }),
      { numRuns: 60 },
    );
  });

  it('tells a position or a time that goes back, also in a stream that is no chain', async () => {
    const bodies = lines
      .map((line) => readLine(line))
      .flatMap((line) => (typeof line === 'string' ? [] : [line.body]));
    const at = bodies.findLastIndex((body) => body.kind === 'event' && body.event.type === 'ApiKeyIssued');
    const issued = bodies[at];
    if (issued?.kind !== 'event') throw new Error('no key was issued');
    const next = { ...issued.event, id: 'evt_next', revision: 1, position: `${issued.event.position}5` };
    const withNext = async (more: object): Promise<readonly ExportFinding[]> => {
      const event = { kind: 'event', event: { ...next, ...more } } as const;
      let prev = '0'.repeat(64);
      const forged = bodies.toSpliced(at + 1, 0, event).map((body, n) => {
        const fixed = body.kind === 'end' ? { ...body, events: body.events + 1 } : body;
        const { text, hash } = exportLine(n, prev, fixed);
        prev = hash;
        return text;
      });
      return (await verifyExport(forged)).findings;
    };
    expect(await withNext({})).to.deep.equal([]);
    for (const [more, problem] of [
      [{ position: '0' }, /^its position 0 is before/],
      [{ position: issued.event.position }, /^two events claim the position/],
      [{ at: '2020-01-01T00:00:00.000Z' }, /^its time 2020-01-01/],
    ] as const) {
      const [found, ...others] = await withNext(more);
      expect([found?.line, others]).to.deep.equal([at + 2, []]);
      expect(found?.problem).to.match(problem);
    }
  });

  it('takes the hash of no event from the file, unless it lacks an order that was in clear', async () => {
    let prev = '0'.repeat(64);
    const forged = lines.map((line, n) => {
      const read = readLine(line);
      if (typeof read === 'string') throw new Error(read);
      const { body } = read;
      const isFalse = body.kind === 'event' && body.event.type === 'MandateSpent' && n === 12;
      const made = exportLine(n, prev, isFalse ? { ...body, hash: 'f'.repeat(64) } : body);
      prev = made.hash;
      return made.text;
    });
    expect(forged[12]).to.include('ffffffff');
    expect(await firstOf(forged)).to.deep.include({ line: 13, wrong: 'changed' });
  });

  it('tells that a spend was taken out and every line after it made to fit', async () => {
    const bodies = lines
      .map((line) => readLine(line))
      .flatMap((line) => (typeof line === 'string' ? [] : [line.body]));
    const gone = bodies.findIndex((body) => body.kind === 'event' && body.event.type === 'MandateSpent');
    let prev = '0'.repeat(64);
    const forged = bodies
      .filter((_, i) => i !== gone)
      .map((body, n) => {
        const fixed = body.kind === 'end' ? { ...body, events: body.events - 1 } : body;
        const { text, hash } = exportLine(n, prev, fixed);
        prev = hash;
        return text;
      });
    expect((await firstOf(forged))?.wrong).to.be.oneOf(['missing', 'changed']);
  });
});
