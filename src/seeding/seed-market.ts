/**
 * Fills a market with a history: each file of the seed folder is published, as any file would be, on its day before
 * the market opens, and between the days evidence expires at its hour. Everything has an identity that follows from
 * its file and place, so that a second run, or one after a crash, adds only what is missing.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentDecider } from '../../commands/agent/agent.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../commands/methodology/methodology.ts';
import { rescoreAgent } from '../operations/directory/writing/changes.ts';
import { liveExecutor } from '../operations/directory/writing/change-executor.ts';
import type { Services } from '../operations/services.ts';
import type { Publication } from '../publishing/publication.ts';
import { publishWithoutDryRun } from '../publishing/publish.ts';
import { readFolders } from '../publishing/publish-file.ts';
import { type FileFault, readPublication } from '../publishing/read-publication.ts';
import type { CommandCall } from '../commanding/command-call.ts';

type Commands = Services['commands'];

export interface SeedReport {
  readonly agencies: number;
  readonly agents: number;
  readonly bundles: number;
  readonly evidence: number;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Act {
  readonly name: string;
  /** When it happened. */
  readonly at: string;
  readonly publication: Publication;
  readonly bundleFiles: Parameters<typeof publishWithoutDryRun>[1]['bundleFiles'];
}

/**
 * Null when the signal was aborted before the end: the same again goes on from there.
 * @throws {UnsoundSeeds} a file of the folder is not sound, or the log already holds another market
 */
export async function seedMarket(
  { commands }: Pick<Services, 'commands'>,
  folder: string,
  at: string,
  signal?: AbortSignal,
): Promise<SeedReport | null> {
  const files = await seedFiles(folder);
  const opening = await openingOf(commands, files, at);
  const acts = await Promise.all(files.map((file) => readAct(folder, file, opening)));
  const agents = new Set<string>();
  for (const act of acts) {
    if (signal?.aborted === true) return null;
    await expireUntil(commands, agents, act.at);
    const call = callFor(`seed:${act.name}`, act.at);
    const outcome = await publishWithoutDryRun(commands, { ...act, call });
    if (!outcome.ok) throw new UnsoundSeeds(act.name, outcome.faults);
    for (const { slug } of act.publication.agents) agents.add(slug);
    if (act.publication.methodologies.length > 0)
      await Promise.all([...agents].map((agent) => rescore(commands, agent, act.at, `seed:${act.name}`)));
  }
  if (signal?.aborted === true) return null;
  await expireUntil(commands, agents, opening);
  return countsOf(acts);
}

export class UnsoundSeeds extends Error {
  override readonly name = 'UnsoundSeeds';
  constructor(file: string, faults: readonly (Omit<FileFault, 'line'> & Partial<FileFault>)[]) {
    const lines = faults.map(({ path, line, message }) => `${file}:${line ?? ''} ${path}: ${message}`);
    super(lines.join('\n'));
  }
}

interface SeedFile {
  readonly name: string;
  /** Days before the market opens, negative. */
  readonly day: number;
}

/** The files in the order of their days, such as `day-120-methodology.yaml`. */
async function seedFiles(folder: string): Promise<readonly SeedFile[]> {
  return (await readdir(folder))
    .flatMap((name) => {
      const [, days] = /^day-(\d+)-.*\.yaml$/.exec(name) ?? [];
      return days === undefined ? [] : [{ name, day: -Number(days) }];
    })
    .sort((a, b) => a.day - b.day);
}

/** The hour the market opens: now, or, where seeding has begun before, what it was then. */
async function openingOf(commands: Commands, files: readonly SeedFile[], at: string): Promise<string> {
  const { state } = await commands.load(methodologyDecider, METHODOLOGY_ID, at);
  const [first] = state.versions.values();
  const [firstFile] = files;
  if (first === undefined || firstFile === undefined) {
    return new Date(Math.floor(Date.parse(at) / HOUR_MS) * HOUR_MS).toISOString();
  }
  return daysFrom(first.publishedAt, -firstFile.day);
}

/** Days in a seed file are written `day-120`, relative to the day the market opens. */
async function readAct(folder: string, { name, day }: SeedFile, opening: string): Promise<Act> {
  const source = await readFile(join(folder, name), 'utf8');
  const text = source.replace(/(?<=\b(?:issuedAt|expiresAt): )day([+-]\d+)\b/g, (_, days: string) =>
    daysFrom(opening, Number(days)).slice(0, 10),
  );
  const read = readPublication(text);
  if (!read.ok) throw new UnsoundSeeds(name, read.faults);
  const folders = await readFolders(read.publication, folder);
  if (!folders.ok) throw new UnsoundSeeds(name, folders.faults);
  const { publication } = read;
  return { name, at: daysFrom(opening, day), publication, bundleFiles: folders.bundleFiles };
}

/** Lets evidence expire at its hour, one agent after another in the order of time, until `until`. */
async function expireUntil(commands: Commands, agents: ReadonlySet<string>, until: string): Promise<void> {
  const dues = new Map<string, string>();
  const look = async (agent: string): Promise<void> => {
    const due = await nextExpiry(commands, agent, until);
    if (due === null) dues.delete(agent);
    else dues.set(agent, due);
  };
  await Promise.all([...agents].map(look));
  for (;;) {
    const [first] = [...dues].sort(([, a], [, b]) => (a < b ? -1 : 1));
    if (first === undefined) return;
    const [agent, due] = first;
    await rescore(commands, agent, due, `seed:expiry:${due}`);
    await look(agent);
    if (dues.get(agent) === due) throw new Error(`the score of ${agent} stays due at ${due}`);
  }
}

/** When a score is due next, if that is not later than `until`. */
async function nextExpiry(commands: Commands, agent: string, until: string): Promise<string | null> {
  const { state } = await commands.load(agentDecider, agent, until);
  if (state.status === 'absent' || state.status === 'retired') return null;
  const due = state.score?.validUntil ?? null;
  return due !== null && due <= until ? due : null;
}

/** A retired agent keeps its score. */
async function rescore(commands: Commands, agent: string, at: string, cause: string): Promise<void> {
  await rescoreAgent(agent)(liveExecutor(commands, callFor(`${cause}:${agent}`, at)));
}

function callFor(commandId: string, at: string): CommandCall {
  return { at, actor: 'seed', requestId: 'seed', commandId, remembersFrom: 0 };
}

function daysFrom(at: string, days: number): string {
  return new Date(Date.parse(at) + days * DAY_MS).toISOString();
}

function countsOf(acts: readonly Act[]): SeedReport {
  const sum = (count: (publication: Publication) => number): number =>
    acts.reduce((total, { publication }) => total + count(publication), 0);
  const slugs = acts.flatMap(({ publication }) => publication.bundles.map(({ slug }) => slug));
  return {
    agencies: sum(({ agencies }) => agencies.length),
    agents: sum(({ agents }) => agents.length),
    bundles: new Set(slugs).size,
    evidence: sum(({ agents, verifications }) =>
      [...agents, ...verifications].reduce((total, { evidence }) => total + evidence.length, 0),
    ),
  };
}
