/** A new version of the methodology scores every agent anew. */
import { METHODOLOGY_ID, methodologyDecider } from '../../commands/methodology/methodology.ts';
import { LogContradiction } from '../../events/event-store.ts';
import { AGENT_DIRECTORY } from '../../projections/agent-directory.ts';
import { ViewBehind } from '../../projections/view-store.ts';
import { rescoreDue } from '../operations/directory/writing/rescore-due.ts';
import type { Services } from '../operations/services.ts';
import type { Reaction } from '../background/reactor.ts';

const NAME = 'when-methodology-published-rescore-agents';
const VIEW_WAIT_MS = 30_000;

export function whenMethodologyPublishedRescoreAgents(
  services: Pick<Services, 'commands' | 'views' | 'projector'>,
): Reaction {
  return {
    name: NAME,
    types: ['MethodologyPublished'],
    async react({ position, at }) {
      const { state } = await services.commands.load(methodologyDecider, METHODOLOGY_ID, at);
      if (state.current === null) throw new LogContradiction('a methodology was published and none is there');
      // Every agent that an earlier version scored stands before this event in the log, and so in the view by then.
      if (!(await services.projector.reached(AGENT_DIRECTORY, position, VIEW_WAIT_MS)))
        throw new ViewBehind(AGENT_DIRECTORY);
      await rescoreDue(services, at, `reaction:${NAME}`);
    },
  };
}
