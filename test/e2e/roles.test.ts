/** One market in several processes, each with a part of the work, on one data folder. */
import { expect } from 'chai';
import type { Role } from '../../src/settings/roles.ts';
import { buildProgram, type Life, type Program } from '../support/built-program.ts';
import { ask, settled } from '../support/fleet.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

interface Readiness {
  readonly status: string;
  readonly head: string;
  readonly duties: readonly { readonly duty: string; readonly state: string }[];
  readonly views: readonly { readonly view: string; readonly checkpoint: string }[];
}

describe('A market whose parts run in processes of their own', function () {
  this.timeout(240_000);
  let folder: TempFolder;
  let program: Program;
  let apiKey: string;
  const lives = new Set<Life>();

  before(async () => {
    folder = await tempFolder();
    program = await buildProgram();
    const [buyer] = await inMarket({ DATA_DIR: folder.path }, (market) => prepareBuyers(market, [80_000]));
    apiKey = buyer!.key;
  });
  after(async () => {
    await Promise.all([...lives].map((life) => life.kill()));
    await program.remove();
    await folder.remove();
  });

  const start = (role: Role): Life => {
    const life = program.start({ DATA_DIR: folder.path, ROLE: role });
    lives.add(life);
    return life;
  };

  it('buys at one api, reads at another, projects in one process at a time, and replaces it when it dies', async () => {
    const [first, second, projector, other, worker] = (
      ['api', 'api', 'projector', 'projector', 'worker'] as const
    ).map(start);
    const jobId = await buy(await first!.url, apiKey);
    expect(await statusOfJob(await second!.url, apiKey, jobId)).to.equal('draft');
    await viewsAreCurrent(await second!.url);

    expect(await servicesAt(await worker!.url)).to.deep.equal({ reactor: 'working', tasks: 'working' });
    expect(await servicesAt(await first!.url)).to.deep.equal({});
    const states = await Promise.all([projector!, other!].map(async ({ url }) => servicesAt(await url)));
    expect(
      states.map((one) => one['projector']).toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    ).to.deep.equal(['standing-by', 'working']);
    const isFirstWorking = states[0]?.['projector'] === 'working';
    const [working, standing] = isFirstWorking ? [projector!, other!] : [other!, projector!];

    await working.kill();
    const later = await buy(await first!.url, apiKey);
    await until('the one that stood by projects', async () => {
      const { projector: state } = await servicesAt(await standing.url);
      return state === 'working';
    });
    await viewsAreCurrent(await second!.url);
    expect(await statusOfJob(await second!.url, apiKey, later)).to.equal('draft');

    for (const life of [first!, second!, standing, worker!]) expect(await life.stop()).to.equal(0);
  });

  it('answers nothing but monitoring where it does not serve', async () => {
    const worker = start('worker');
    const url = await worker.url;
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    expect((await fetch(`${url}/v1/agents`)).status).to.equal(404);
    expect(await worker.stop()).to.equal(0);
  });
});

async function buy(url: string, apiKey: string): Promise<string> {
  const response = await ask(`${url}/v1/trials`, apiKey, { agent: 'invoice-matcher', brief: 'Match.' });
  const text = await response.text();
  expect(response.status, text).to.equal(201);
  return JSON.parse(text).data.id;
}

async function statusOfJob(url: string, apiKey: string, jobId: string): Promise<string> {
  const response = await ask(`${url}/v1/jobs/${jobId}`, apiKey);
  const text = await response.text();
  expect(response.status, text).to.equal(200);
  return JSON.parse(text).data.status;
}

async function readinessOf(url: string): Promise<Readiness> {
  const response = await settled(() => fetch(`${url}/readyz`));
  const text = await response.text();
  expect(response.status, text).to.equal(200);
  return JSON.parse(text).data;
}

async function servicesAt(url: string): Promise<Record<string, string>> {
  const { duties } = await readinessOf(url);
  return Object.fromEntries(duties.map(({ duty, state }) => [duty, state]));
}

async function viewsAreCurrent(url: string): Promise<void> {
  await until('every view is at the end of the log', async () => {
    const { head, views } = await readinessOf(url);
    return views.every(({ checkpoint }) => checkpoint >= head);
  });
}
