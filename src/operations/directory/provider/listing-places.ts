/** How many agents and bundles an agency lists by itself. What operators list for it counts too, and is not limited. */
import { agentDecider } from '../../../../commands/agent/agent.ts';
import { bundleDecider } from '../../../../commands/bundle/bundle.ts';
import { agencies } from '../../../../projections/agencies.ts';
import type { CommandCall } from '../../../commanding/command-call.ts';
import { readView } from '../../read-view.ts';
import type { Refused } from '../../refusals.ts';
import type { Services } from '../../services.ts';
import { takePlace } from '../../take-place.ts';
import { tooMany } from '../../too-many.ts';

const [AGENT, BUNDLE] = ['agents/', 'bundles/'];

export function agentPlace(slug: string): string {
  return AGENT + slug;
}

export function bundlePlace(slug: string): string {
  return BUNDLE + slug;
}

/** False where the agency lists as many as it may. */
export async function takeListingPlace(
  { commands, views, limits }: Pick<Services, 'commands' | 'views' | 'limits'>,
  agency: string,
  holder: string,
  call: CommandCall,
): Promise<boolean> {
  const shown = await readView(views, agencies, agency);
  const standing = [...(shown?.agents ?? []).map(agentPlace), ...(shown?.bundles ?? []).map(bundlePlace)];
  const known = new Set(standing);
  return takePlace(
    { commands },
    {
      kind: 'listings',
      owner: agency,
      holder,
      limit: limits.listings,
      standing: () => Promise.resolve(standing),
      async fateOf(other) {
        // There may be a thousand: only what is not shown is looked at.
        if (known.has(other)) return 'stands';
        const { state } = other.startsWith(AGENT)
          ? await commands.load(agentDecider, other.slice(AGENT.length), call.at)
          : await commands.load(bundleDecider, other.slice(BUNDLE.length), call.at);
        if (state.status === 'absent') return 'never made';
        return state.status === 'retired' ? 'gone' : 'stands';
      },
    },
    call,
  );
}

export function tooManyListings(limit: number): Refused {
  const message = `An agency lists at most ${limit} agents and bundles: retire one first.`;
  return tooMany(message, limit, 'agency', 'agents and bundles are limited');
}
