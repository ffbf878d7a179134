/**
 * An agent's stream carries a snapshot of its state every so many events, so that loading reads back to the last one and
 * no further, however long the agent is listed, assessed and scored.
 */
import type { AgentFact } from '../../events/agent-events.ts';
import { SNAPSHOT_EVERY_EVENTS } from '../decider.ts';
import type { Agent } from './agent-state.ts';

/** A larger snapshot might not fit into one append with what follows it. Only notes of extreme length come so far. */
const MAX_SNAPSHOT_BYTES = 400_000;

/** What goes before the next fact of this agent: a snapshot when one is due, or nothing. */
export function snapshotIfDue(agent: Agent): readonly AgentFact[] {
  if (agent.status === 'absent' || agent.eventsSinceSnapshot < SNAPSHOT_EVERY_EVENTS) return [];
  const { slug, status, listing, score } = agent;
  const [evidence, findings] = [[...agent.evidence.values()], [...agent.findings.values()]];
  const data = { agent: slug, status, listing, evidence, findings, score };
  return Buffer.byteLength(JSON.stringify(data)) > MAX_SNAPSHOT_BYTES ? [] : [{ type: 'AgentCarried', data }];
}
