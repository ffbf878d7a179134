/** An agency that takes another name takes it in its listings too; of many names in a row the last alone. */
import { LogContradiction } from '../../events/event-store.ts';
import { agencies } from '../../projections/agencies.ts';
import { currentMethodology, liveExecutor } from '../operations/directory/writing/change-executor.ts';
import { changeAgent } from '../operations/directory/writing/changes.ts';
import { readView } from '../operations/read-view.ts';
import type { Services } from '../operations/services.ts';
import type { Reaction } from '../background/reactor.ts';

const NAME = 'when-agency-revised-revise-listings';
const VIEW_WAIT_MS = 30_000;

export function whenAgencyRevisedReviseListings(
  services: Pick<Services, 'commands' | 'views' | 'projector'>,
): Reaction {
  return {
    name: NAME,
    types: ['AgencyRevised'],
    async react(event) {
      if (event.type !== 'AgencyRevised') return;
      const { agency: slug, profile } = event.data;
      if (!(await services.projector.reached(agencies.name, event.position, VIEW_WAIT_MS))) {
        throw new Error('the agencies have not caught up with the new profile yet');
      }
      const agency = await readView(services.views, agencies, slug);
      if (agency === undefined) throw new LogContradiction(`${slug} was revised and is not shown`);
      // A later name is taken by the event that brought it: of many in a row the listings take the last.
      if (agency.name !== profile.name) return;
      for (const agent of agency.agents) await takeName(services, agent, { slug, name: profile.name }, event);
    },
  };
}

async function takeName(
  { commands }: Pick<Services, 'commands'>,
  agent: string,
  agency: { readonly slug: string; readonly name: string },
  cause: Parameters<Reaction['react']>[0],
): Promise<void> {
  const executor = liveExecutor(commands, {
    at: cause.at,
    actor: `reaction:${NAME}`,
    requestId: cause.meta.requestId,
    commandId: `${NAME}:${cause.id}`,
    causationId: cause.id,
  });
  const methodology = await currentMethodology(executor);
  if (methodology === null) throw new LogContradiction(`${agent} is listed and no methodology is there`);
  const revise = changeAgent(agent, { type: 'ReviseAgent', changes: { agency }, methodology });
  const answer = await revise(executor);
  if (!answer.ok && answer.refusal.code === 'not_found')
    throw new LogContradiction(`${agent} is listed and is not there`);
}
