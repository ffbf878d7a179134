/** Histories of the directory for view tests: made by the deciders, placed in one log. */
import { currentVersion } from '../../events/catalog.ts';
import { exampleEncrypted } from '../../events/private-text.ts';
import { agencyDecider, type AgencyCommand } from '../../commands/agency/agency.ts';
import { agentDecider, type AgentCommand } from '../../commands/agent/agent.ts';
import { bundleDecider, type BundleCommand } from '../../commands/bundle/bundle.ts';
import { METHODOLOGY_ID, methodologyDecider } from '../../commands/methodology/methodology.ts';
import type { PlacedEvent } from '../../events/event.ts';
import type { Methodology } from '../../events/methodology-events.ts';
import { streamOf } from '../../src/operations/directory/example-history.ts';
import { AGENT } from './sample-directory.ts';

type Timed<Command> = readonly [at: string, command: Command];

export const agentEvents = (...commands: Timed<AgentCommand>[]): readonly PlacedEvent[] =>
  streamOf(agentDecider, AGENT, ...commands);
export const agencyEvents = (...commands: Timed<AgencyCommand>[]): readonly PlacedEvent[] =>
  streamOf(agencyDecider, 'ledgerworks', ...commands);
export const bundleEvents = (...commands: Timed<BundleCommand>[]): readonly PlacedEvent[] =>
  streamOf(bundleDecider, 'month-end-close', ...commands);
export const methodologyEvents = (...versions: Timed<Methodology>[]): readonly PlacedEvent[] =>
  streamOf(
    methodologyDecider,
    METHODOLOGY_ID,
    ...versions.map(([at, methodology]) => [at, { type: 'PublishMethodology', methodology }] as const),
  );

/** What a job of the agent came to. */
export function jobEvent(
  type: 'JobCompleted' | 'JobFailed' | 'RecordAsserted',
  at: string,
  counts: { readonly counts?: true } = { counts: true },
): readonly PlacedEvent[] {
  const jobId = 'job_01kb3j5m8xe3vb0v6yq4s5t7wv';
  const more = {
    JobCompleted: {},
    JobFailed: { code: 'inputs_unreadable', message: 'No text.' },
    RecordAsserted: { text: exampleEncrypted },
  };
  return [
    {
      id: 'evt_01kb3j5m8xe3vb0v6yq4s5t7wv',
      type,
      version: currentVersion(type),
      streamId: `job-${jobId}`,
      revision: 1,
      at,
      data: { jobId, agent: AGENT, ...counts, ...more[type] },
      meta: { actor: 'test', requestId: 'test', commandId: 'test' },
    },
  ];
}
