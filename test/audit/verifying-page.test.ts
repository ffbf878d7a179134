/** docs/verifying.md is enough to check an export: its own program takes a true one and refuses every false one. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { exportLine, type ExportBody, FIRST_PREV } from '../../src/audit/export-line.ts';
import { verifyExport } from '../../src/audit/verify-export.ts';
import { startJobApi } from '../support/job-flows.ts';
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
