/**
 * Scores that are due: some of their evidence has expired, or another methodology is in force. Run at the hour of the
 * next expiry and after each new methodology; running it twice, or on two nodes at once, adds nothing more.
 */
import { METHODOLOGY_ID, methodologyDecider } from '../../../../commands/methodology/methodology.ts';
import { LogContradiction } from '../../../../events/event-store.ts';
import { AGENT_DIRECTORY } from '../../../../projections/agent-directory.ts';
import type { AgentDocument } from '../../../../projections/agent-document.ts';
import type { Condition } from '../../../../projections/view-store.ts';
import { parseDocument } from '../../../../projections/stored-document.ts';
import type { Services } from '../../services.ts';
import { walkView } from '../../walk-view.ts';
import { rescoreAgent } from './changes.ts';
import { currentMethodology, liveExecutor } from './change-executor.ts';

type Parts = Pick<Services, 'commands' | 'views'>;

export interface Rescored {
  /** The slugs of the agents whose score changed. */
  readonly agents: readonly string[];
  /** When the next score is due; null when nothing expires. */
  readonly nextAt: string | null;
}

export async function rescoreDue(parts: Parts, at: string, actor = 'scheduler'): Promise<Rescored> {
  const agents: string[] = [];
  const rescore = async ({ slug }: AgentDocument, due: string): Promise<void> => {
    if (await rescoreOnce(parts, slug, due, { at, actor })) agents.push(slug);
  };
  const dueMs = Date.parse(at);
  for await (const agent of agentsWith(parts, { validUntilMs: { max: dueMs } })) {
    await rescore(agent, agent.verification.validUntil ?? '');
  }
  for (const version of await earlierVersions(parts, at)) {
    for await (const agent of agentsWith(parts, { methodologyVersion: version.of })) {
      await rescore(agent, `methodology-${version.now}`);
    }
  }
  return { agents, nextAt: await nextExpiry(parts, dueMs) };
}

/**
 * One agent whose score is due for this reason: the time of an expiry, or a methodology. Twice is once.
 * Answers whether its score changed now.
 */
export async function rescoreOnce(
  { commands }: Pick<Parts, 'commands'>,
  agent: string,
  due: string,
  { at, actor = 'scheduler' }: { readonly at: string; readonly actor?: string },
): Promise<boolean> {
  const commandId = `rescore:${agent}:${due}`;
  const executor = liveExecutor(commands, { at, actor, requestId: commandId, commandId });
  if ((await currentMethodology(executor)) === null)
    throw new LogContradiction(`${agent} has a score and no methodology is there`);
  const answer = await rescoreAgent(agent)(executor);
  if (!answer.ok && answer.refusal.code === 'not_found')
    throw new LogContradiction(`${agent} has a score and is not there`);
  // A refusal: it was retired meanwhile, and its score stays as it was.
  return answer.ok && !answer.replayed && answer.events.length > 0;
}

async function earlierVersions(
  { commands }: Parts,
  at: string,
): Promise<readonly { of: string; now: string }[]> {
  const { state } = await commands.load(methodologyDecider, METHODOLOGY_ID, at);
  const now = state.current?.version;
  if (now === undefined) return [];
  return [...state.versions.keys()].filter((of) => of !== now).map((of) => ({ of, now }));
}

function agentsWith(
  { views }: Parts,
  filter: Readonly<Record<string, Condition>>,
): AsyncGenerator<AgentDocument, void> {
  return walkView(views, AGENT_DIRECTORY, { filter, order: 'validUntil' });
}

async function nextExpiry({ views }: Parts, afterMs: number): Promise<string | null> {
  const { rows } = await views.page(AGENT_DIRECTORY, {
    filter: { validUntilMs: { min: afterMs + 1 } },
    order: 'validUntil',
    limit: 1,
  });
  const [row] = rows;
  return row === undefined ? null : parseDocument<AgentDocument>(row).verification.validUntil;
}
