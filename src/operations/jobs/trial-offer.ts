/** What an agent's trial costs now, as its listing says. */
import { agentDirectory } from '../../../projections/agent-directory.ts';
import { readShared } from '../read-view.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';

export type TrialOffer =
  | {
      readonly ok: true;
      readonly agent: { readonly slug: string; readonly name: string };
      readonly agency: string;
      readonly amountCents: number;
    }
  | Refused;

/** The offer as listed, refused if it costs more than the buyer said it may. */
export async function trialOffer(
  { views }: Pick<Services, 'views'>,
  slug: string,
  maxAmountCents: number | undefined,
): Promise<TrialOffer> {
  const agent = await readShared(views, agentDirectory, slug);
  if (agent === undefined) return refuse('not_found', `no agent ${slug} is listed`);
  if (agent.suspension !== undefined) {
    return refuse('conflict', `${slug} is suspended and cannot be hired: ${agent.suspension.reason}`);
  }
  const amountCents = agent.pricing.trialPriceCents;
  if (maxAmountCents !== undefined && amountCents > maxAmountCents) {
    return refuse(
      'price_changed',
      `a trial of ${slug} costs ${amountCents} cents, more than maxAmountCents allows`,
      {
        details: [
          {
            path: 'maxAmountCents',
            message: `the price is ${amountCents}`,
            limit: String(maxAmountCents),
            value: String(amountCents),
          },
        ],
      },
    );
  }
  return { ok: true, agent: { slug, name: agent.name }, agency: agent.agency.slug, amountCents };
}
