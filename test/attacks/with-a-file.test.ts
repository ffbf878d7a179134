/** What somebody can do who has the operator publish a file: the server beside it must not notice. */
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { answerTime, answerTimeDuring, measured, memoryOf } from './attacked.ts';

const MAX_ANSWER_MS = 100;
const MAX_GROWTH_BYTES = 64 * 1_024 * 1_024;

const FILES: Readonly<Record<string, { readonly text: string; readonly told: RegExp }>> = {
  'a text of wrong escapes': {
    text: `"${'\\q'.repeat(100_000)}"`,
    told: /more than 100 escapes mean nothing/,
  },
  'lines of closing brackets': { text: '}\n'.repeat(400_000), told: /closed that was not opened/ },
  'a list in a list in a list': { text: '['.repeat(900_000), told: /nested deeper/ },
  'more than it may be': { text: '#'.repeat(1_048_577), told: /at most 1048576 are read/ },
};

describe('An attacker whose file is published', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let program: Program;
  let life: Life | undefined;
  let url: string;
  let pid: number;
  before(async () => {
    folder = await tempFolder();
    program = await buildProgram();
    life = program.start({ DATA_DIR: folder.file('data'), LOG_LEVEL: 'error', ...measured() });
    url = await life.url;
    pid = life.pid;
    for (let count = 0; count < 20; count += 1) await answerTime({ url: `${url}/healthz`, pid });
  });
  after(async () => {
    await life?.kill();
    await program.remove();
    await folder.remove();
  });

  for (const [what, { text, told }] of Object.entries(FILES)) {
    it(`is told what is wrong with ${what}, while others are answered`, async () => {
      const file = folder.file('hostile.yaml');
      await writeFile(file, text);
      const before = await memoryOf(pid);
      // An eighth of what such a file took before.
      const settings = { DATA_DIR: folder.file('data'), NODE_OPTIONS: '--max-old-space-size=256' };
      let said = '';
      const took = await answerTimeDuring({ url: `${url}/healthz`, pid }, async () => {
        said = await program.run(settings, ['publish', file]).catch((error: unknown) => outputOf(error));
      });
      expect(said).to.match(told);
      expect(took).to.be.below(MAX_ANSWER_MS);
      expect((await memoryOf(pid)) - before).to.be.below(MAX_GROWTH_BYTES);
    });
  }
});

function outputOf(error: unknown): string {
  return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
}
