/** Publishes a file: run dry as a whole, and written only if every part of it would be accepted. */
import { agentDecider } from '../../commands/agent/agent.ts';
import { bundleDecider } from '../../commands/bundle/bundle.ts';
import type { ManifestFile } from '../../commands/bundle/manifest.ts';
import * as changes from '../operations/directory/writing/changes.ts';
import {
  type ChangeExecutor,
  dryRunExecutor,
  liveExecutor,
} from '../operations/directory/writing/change-executor.ts';
import type { FieldError, Refused } from '../operations/refusals.ts';
import type { CommandCall } from '../commanding/command-call.ts';
import type { CommandRunner } from '../commanding/command-runner.ts';
import type { Publication, VerificationEntry } from './publication.ts';

/** One thing that publishing changes, or would change. */
export interface PublishedChange {
  /** Where the file says so, such as `agents.3.evidence.0`. */
  readonly path: string;
  /** Such as `agent invoice-matcher`. */
  readonly subject: string;
  readonly events: readonly string[];
}

export type PublishOutcome =
  | {
      readonly ok: true;
      readonly changes: readonly PublishedChange[];
      /** Where the log stands with the last of them; null when nothing changed or nothing was written. */
      readonly position: string | null;
    }
  | { readonly ok: false; readonly faults: readonly FieldError[] };

export interface PublishRequest {
  readonly publication: Publication;
  /** The files of each bundle, by the path of its entry: `bundles.0`. */
  readonly bundleFiles: ReadonlyMap<string, readonly ManifestFile[]>;
  /** Only says what would change. */
  readonly dryRun: boolean;
  /** The identity of the whole; each command gets one that follows from it. */
  readonly call: CommandCall;
}

type Runner = Pick<CommandRunner, 'run' | 'load'>;

export async function publish(commands: Runner, request: PublishRequest): Promise<PublishOutcome> {
  const { call, dryRun } = request;
  const tentative = dryRunExecutor(commands, call.at);
  const dryRunOutcome = await perform(() => tentative, request);
  if (!dryRunOutcome.ok || dryRun) return dryRunOutcome;
  return publishWithoutDryRun(commands, request);
}

/**
 * Writes each part under an identity that follows from its path in the file, so that the same call again goes on
 * where it was cut off, whatever has changed since.
 */
export async function publishWithoutDryRun(
  commands: Runner,
  request: Omit<PublishRequest, 'dryRun'>,
): Promise<PublishOutcome> {
  const { call } = request;
  return perform(
    (path) => liveExecutor(commands, { ...call, commandId: `${call.commandId}:${path}` }),
    request,
  );
}

/** So many entries of a file are written at once. */
const ABREAST = 16;

interface Stage {
  readonly executorAt: (path: string) => ChangeExecutor;
  readonly changes: PublishedChange[];
  readonly faults: FieldError[];
  position: string | null;
}

async function perform(
  executorAt: Stage['executorAt'],
  { publication, bundleFiles }: Pick<PublishRequest, 'publication' | 'bundleFiles'>,
): Promise<PublishOutcome> {
  const stage: Stage = { executorAt, changes: [], faults: [], position: null };
  for (const step of beginningsOf(publication)) await change(stage, step);
  await performAgents(stage, publication);
  await performBundles(stage, publication, bundleFiles);
  for (const step of endsOf(publication)) await change(stage, step);
  if (stage.faults.length > 0) return { ok: false, faults: stage.faults };
  return { ok: true, changes: stage.changes, position: stage.position };
}

/** One thing that the file asks for. */
interface Step {
  readonly path: string;
  readonly subject: string;
  readonly made: changes.Change;
}

/** What listings rest on. */
function beginningsOf({ methodologies, agencies }: Publication): readonly Step[] {
  return [
    ...methodologies.map((methodology, index) => ({
      path: `methodologies.${index}`,
      subject: `methodology ${methodology.version}`,
      made: changes.publishMethodology(methodology),
    })),
    ...agencies.map(({ slug, ...profile }, index) => ({
      path: `agencies.${index}`,
      subject: `agency ${slug}`,
      made: changes.registerAgency(slug, profile),
    })),
  ];
}

function agentStep(path: string, agent: string, made: changes.Change): Step {
  return { path, subject: `agent ${agent}`, made };
}

async function performAgents(stage: Stage, publication: Publication): Promise<void> {
  const retiring = new Set(publication.retirements.map((entry) => ('agent' in entry ? entry.agent : null)));
  await sideBySide(stage, publication.agents, async (part, entry, index) => {
    const path = `agents.${index}`;
    const { slug, evidence, assessments, ...listing } = entry;
    // The file says that it is retired, and it is: there is nothing left to change.
    if (retiring.has(slug) && (await part.executorAt(path).load(agentDecider, slug)).status === 'retired')
      return;
    const isListed = await change(part, agentStep(path, slug, changes.publishAgent(slug, listing)));
    if (isListed) await performVerification(part, path, { agent: slug, evidence, assessments });
  });
  await sideBySide(stage, publication.verifications, (part, entry, index) =>
    performVerification(part, `verifications.${index}`, entry),
  );
}

/** Entries about different streams wait for the log together; what came of them is told in the file's order. */
async function sideBySide<Entry>(
  stage: Stage,
  entries: readonly Entry[],
  perform: (part: Stage, entry: Entry, index: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < entries.length; start += ABREAST) {
    const parts = await Promise.all(
      entries.slice(start, start + ABREAST).map(async (entry, offset) => {
        const part: Stage = { executorAt: stage.executorAt, changes: [], faults: [], position: null };
        await perform(part, entry, start + offset);
        return part;
      }),
    );
    for (const part of parts) {
      stage.changes.push(...part.changes);
      stage.faults.push(...part.faults);
      stage.position = later(stage.position, part.position);
    }
  }
}

async function performVerification(
  stage: Stage,
  path: string,
  { agent, evidence, assessments }: VerificationEntry,
): Promise<void> {
  const steps = [
    ...evidence.map((piece, index) =>
      agentStep(`${path}.evidence.${index}`, agent, changes.submitEvidence(agent, piece)),
    ),
    ...assessments.map((assessment, index) =>
      agentStep(`${path}.assessments.${index}`, agent, changes.recordAssessment(agent, assessment)),
    ),
  ];
  for (const step of steps) await change(stage, step);
}

async function performBundles(
  stage: Stage,
  publication: Publication,
  bundleFiles: PublishRequest['bundleFiles'],
): Promise<void> {
  const retiring = new Set(publication.retirements.map((entry) => ('bundle' in entry ? entry.bundle : null)));
  for (const [index, entry] of publication.bundles.entries()) {
    const path = `bundles.${index}`;
    const { slug, version, folder: _folder, ...profile } = entry;
    if (retiring.has(slug) && (await stage.executorAt(path).load(bundleDecider, slug)).status === 'retired')
      continue;
    const made = changes.publishBundleVersion(slug, version, profile, bundleFiles.get(path) ?? []);
    await change(stage, { path, subject: `bundle ${slug} ${version}`, made });
  }
}

/** What becomes of listings. */
function endsOf({ suspensions, resumptions, retirements }: Publication): readonly Step[] {
  const { changeAgent, changeBundle } = changes;
  return [
    ...suspensions.map(({ agent, reason }, index) =>
      agentStep(`suspensions.${index}`, agent, changeAgent(agent, { type: 'SuspendAgent', reason })),
    ),
    ...resumptions.map(({ agent }, index) =>
      agentStep(`resumptions.${index}`, agent, changeAgent(agent, { type: 'ResumeAgent' })),
    ),
    ...retirements.map(({ reason, ...entry }, index) => {
      const path = `retirements.${index}`;
      if ('agent' in entry)
        return agentStep(path, entry.agent, changeAgent(entry.agent, { type: 'RetireAgent', reason }));
      const made = changeBundle(entry.bundle, { type: 'RetireBundle', reason });
      return { path, subject: `bundle ${entry.bundle}`, made };
    }),
  ];
}

/** Whether it was accepted; what it changed or why not is kept. */
async function change(stage: Stage, { path, subject, made }: Step): Promise<boolean> {
  const answer = await made(stage.executorAt(path));
  if (!answer.ok) {
    stage.faults.push(...faultsOf(path, answer));
    return false;
  }
  const { events, replayed, position } = answer;
  if (events.length === 0 || replayed) return true;
  stage.changes.push({ path, subject, events });
  stage.position = later(stage.position, position);
  return true;
}

/** Positions sort in commit order; null comes before all. */
function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function faultsOf(path: string, { refusal }: Refused): FieldError[] {
  const { details, message } = refusal;
  if (details === undefined) return [{ path, message }];
  return details.map((detail) => ({ path: `${path}.${detail.path}`, message: detail.message }));
}
