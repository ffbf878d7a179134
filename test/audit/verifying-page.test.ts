/** docs/verifying.md is enough to check an export: its own program takes a true one and refuses every false one. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import type { MandateCommand } from '../../commands/mandate/mandate.ts';
import type { RecordedEvent } from '../../events/event.ts';
import type { EventStore } from '../../events/event-store.ts';
import { idFrom } from '../../events/ids.ts';
import { mandateEvents } from '../../events/mandate-events.ts';
import { exportLine, type ExportBody, FIRST_PREV } from '../../src/audit/export-line.ts';
import { exportMandate } from '../../src/audit/export-log.ts';
import { verifyExport } from '../../src/audit/verify-export.ts';
import { startJobApi } from '../support/job-flows.ts';
import { historyOf } from '../support/sample-history.ts';
import { AT, keyId, mandateId, release, spend } from '../support/sample-mandate.ts';
import { tempFolder, type TempFolder } from '../support/temp-folder.ts';
import { defineUnless } from '../support/untested.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/verifying.md', import.meta.url)), 'utf8');
const PROGRAM = /```python\n(?<text>.*?)```/s.exec(PAGE)?.groups?.['text'] ?? '';
const hasPython = spawnSync('python3', ['--version']).status === 0;

defineUnless(hasPython ? null : 'there is no python3', 'The verifier of docs/verifying.md', () => {
  let folder: TempFolder;
  let lines: readonly string[];
  before(async () => {
    folder = await tempFolder();
    await writeFile(folder.file('verify_export.py'), PROGRAM);
    lines = await exportOverHttp();
  });
  after(() => folder.remove());

  async function verdict(texts: readonly string[]): Promise<{ ok: boolean; said: string }> {
    await writeFile(folder.file('export.ndjson'), texts.map((text) => `${text}\n`).join(''));
    const { status, stdout, stderr } = spawnSync(
      'python3',
      [folder.file('verify_export.py'), folder.file('export.ndjson')],
      { encoding: 'utf8' },
    );
    return { ok: status === 0, said: stdout + stderr };
  }

  it('takes what the service exports, and comes to the same head as ours', async () => {
    const { ok, said } = await verdict(lines);
    expect(ok, said).to.equal(true);
    const { headHash, findings } = await verifyExport(lines);
    expect(findings).to.deep.equal([]);
    expect(said).to.include(headHash);
  });

  it('takes every event that a mandate can have, and what is spent after each', async () => {
    const events = await wholeHistory();
    const types = new Set(mandateEvents.map(({ type }) => type as string));
    expect(new Set(events.map(({ type }) => type))).to.deep.equal(types);
    const texts = await exportOf(events);
    expect((await verifyExport(texts)).findings).to.deep.equal([]);
    const { ok, said } = await verdict(texts);
    expect(ok, said).to.equal(true);
  });

  it('refuses a line that was removed, moved, repeated or changed', async () => {
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      const others = lines.toSpliced(at, 1);
      const falsified = [
        others,
        others.toSpliced((at + 1) % lines.length, 0, line),
        lines.toSpliced(at, 0, line),
        lines.with(
          at,
          line.replace(/\d(?=[^\d]*$)/, (digit) => String((Number(digit) + 1) % 10)),
        ),
      ];
      for (const texts of falsified) expect((await verdict(texts)).ok, `line ${at}`).to.equal(false);
    }
  });

  it('refuses an export of nothing, and one that was emptied, as ours does', async () => {
    const none = relined((body) => (body.kind === 'event' ? [] : [withCount(body, 0)]));
    expect(await verdict(none)).to.deep.equal({
      ok: false,
      said: 'line end: it has no event: nothing was exported\n',
    });
    expect((await verifyExport(none)).findings.map(({ problem }) => problem)).to.deep.equal([
      'it has no event: nothing was exported',
    ]);
  });

  it('names a spend that says another amount, though every line was written anew around it', async () => {
    const { ok, said } = await verdict(
      rewritten((event) => (event.type === 'MandateSpent' ? { amountCents: 1 } : {})),
    );
    expect([ok, said]).to.deep.equal([false, said]);
    expect(said).to.match(/^line \d+: it claims/);
  });

  it('names the event after one whose data were changed, though every line was written anew', async () => {
    const { said } = await verdict(
      rewritten((event) => (event.type === 'MandateSpent' ? { keyId: 'key_other' } : {})),
    );
    expect(said).to.match(/^line \d+: its predecessor/);
  });

  /** The export with other data in its events, and all its lines hashed again, as a forger would. */
  function rewritten(change: (event: { readonly type: string }) => object): readonly string[] {
    return relined((body) => {
      if (body.kind === 'event') Object.assign(body.event.data, change(body.event));
      return [body];
    });
  }

  /** The export with what is made of each of its bodies, and every line hashed anew. */
  function relined(change: (body: ExportBody) => readonly ExportBody[]): readonly string[] {
    let prev = FIRST_PREV;
    // Lines of our own export.
    const bodies = lines.map((text) => (JSON.parse(text) as { readonly body: ExportBody }).body);
    return bodies.flatMap(change).map((body, n) => {
      const { text, hash } = exportLine(n, prev, body);
      prev = hash;
      return text;
    });
  }
});

function withCount(body: ExportBody, events: number): ExportBody {
  return body.kind === 'end' ? { ...body, events } : body;
}

const DECEMBER = '2026-12-02T00:00:00.000Z';

/** A spend follows whatever may change a sum or the terms: it claims the sum, and must keep to the terms. */
function wholeHistory(): Promise<RecordedEvent[]> {
  const lost = { spendId: idFrom('spend', AT, 'lost'), jobId: idFrom('job', AT, 'lost'), keyId };
  const steps: readonly (MandateCommand | readonly [MandateCommand, string])[] = [
    spend(1_000, 'first'),
    release(1_000, '2026-11', 'first'),
    spend(1_200, 'second'),
    // More than what is left of the month's cap, and than the cap of one spend.
    { type: 'RecoverSpend', spend: { ...lost, period: '2026-11', amountCents: 6_000, spentAt: AT } },
    spend(600, 'third'),
    { type: 'AmendMandate', changes: { maxPerTransactionCents: 5_500, maxMonthlyCents: 90_000 } },
    spend(5_500, 'fourth'),
    { type: 'SuspendMandate', reason: 'a look is needed' },
    { type: 'ResumeMandate' },
    ...Array.from({ length: SNAPSHOT_EVERY_EVENTS }, (_, i) => spend(100, `one of many ${i}`)),
    [spend(700, 'under a fast clock'), DECEMBER],
    spend(800, 'counted in the later month'),
    {
      type: 'CorrectMandatePeriod',
      period: '2026-11',
      spentCents: 24_800,
      spendCount: 106,
      read: { revision: 113, period: '2026-12', spentCents: 1_500, spendCount: 2, eventsSinceSnapshot: 2 },
      reason: 'the clock was fast',
    },
    // Uncounted, as it was spent before.
    release(800, '2026-12', 'counted in the later month'),
    spend(900, 'last'),
    { type: 'RevokeMandate', reason: 'the key was lost' },
  ];
  return historyOf(
    AT,
    steps.map((step) => ('type' in step ? ([step, AT] as const) : step)),
  );
}

/** The export of a mandate that has these events and a key that has none. */
async function exportOf(events: readonly RecordedEvent[]): Promise<readonly string[]> {
  const log: Pick<EventStore, 'read'> = {
    async *read(stream) {
      if (stream.startsWith('mandate-')) yield* events;
    },
  };
  const options = { exportedAt: AT, withClearText: false };
  const lines: string[] = [];
  for await (const line of exportMandate(log, { mandateId, keyId }, options)) lines.push(line.trimEnd());
  return lines;
}

async function exportOverHttp(): Promise<readonly string[]> {
  const api = await startJobApi();
  try {
    for (const brief of ['“Ünal” 😀\u2028', 'Two.', 'Three.']) await api.draft(api.buyer, { brief });
    const jobId = await api.draft();
    await api.post(`/v1/jobs/${jobId}/cancel`, {}, api.buyer);
    await api.draft();
    const answer = await api.get('/v1/mandate/export', api.buyer);
    expect([answer.status, answer.headers.get('Content-Type')]).to.deep.equal([200, 'application/x-ndjson']);
    return answer.text.trimEnd().split('\n');
  } finally {
    await api.close();
  }
}
