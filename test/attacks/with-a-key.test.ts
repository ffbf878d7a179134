/** What somebody with one key can do to a server and to its other users. */
import { expect } from 'chai';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { answerTimeDuring } from './attacked.ts';

const TRIALS = 40;
const CYCLES = 160;
const CALLERS = 8;
const MAX_ANSWER_MS = 100;

describe('An attacker with one key', function () {
  this.timeout(120_000);
  let folder: TempFolder;
  let program: Program;
  let life: Life | undefined;
  before(async () => {
    folder = await tempFolder();
    program = await buildProgram();
  });
  after(async () => {
    await life?.kill();
    await program.remove();
    await folder.remove();
  });

  it('cannot fill the disk by trial, cancel, repeat, and holds up nobody else', async () => {
    const settings = { DATA_DIR: folder.path, LOG_LEVEL: 'error', ACCOUNT_DAILY_TRIALS: String(TRIALS) };
    await program.run(settings, ['seed']);
    life = program.start(settings);
    const url = await life.url;
    const newKey = async (account: string): Promise<string> => {
      const wanted = ['--account', account, '--name', 'test', '--scopes', 'trials:create,jobs:cancel'];
      const caps = [
        '--allow',
        'trial:create',
        '--max-per-transaction',
        '100000',
        '--max-monthly',
        '10000000',
      ];
      const made = await program.run(settings, ['key', 'create', ...wanted, ...caps, '--json']);
      return String(JSON.parse(made).key);
    };
    const [attacker, other] = [await newKey('attacker'), await newKey('other')];
    const post = (key: string, path: string, body: object): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      });
    const trial = {
      agent: 'invoice-matcher',
      brief: 'x'.repeat(8_000),
      inputs: { text: 'x'.repeat(50_000) },
    };
    const statuses: number[] = [];
    const cycle = async (): Promise<void> => {
      const made = await post(attacker, '/v1/trials', trial);
      statuses.push(made.status);
      // As the description has it.
      const { data } = (await made.json()) as { data: { id: string } | null };
      if (data !== null) await post(attacker, `/v1/jobs/${data.id}/cancel`, {});
    };
    const cycles = async (): Promise<void> => {
      const caller = async (): Promise<void> => {
        for (let i = 0; i < CYCLES / CALLERS; i += 1) await cycle();
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
    };
    const took = await answerTimeDuring(`${url}/healthz`, cycles);
    expect(statuses.filter((status) => status === 201)).to.have.lengthOf(TRIALS);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(CYCLES - TRIALS);
    expect(took).to.be.below(MAX_ANSWER_MS);
    expect((await post(other, '/v1/trials', trial)).status).to.equal(201);
  });
});
