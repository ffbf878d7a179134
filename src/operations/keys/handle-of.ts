/** The handle of an account that is there, by its id. */
import { accountsProjection } from '../../../projections/accounts.ts';
import { readView } from '../read-view.ts';
import type { Services } from '../services.ts';

const VIEW_PATIENCE_MS = 2_000;

/** Null where the account was closed, or the view of accounts has not heard of it in time. */
export async function handleOf(
  { views, projector, events }: Pick<Services, 'views' | 'projector' | 'events'>,
  accountId: string,
): Promise<string | null> {
  const known = await readView(views, accountsProjection, accountId);
  if (known !== undefined) return known.handle;
  const head = await events.head();
  if (head !== null) await projector.reached(accountsProjection.name, head, VIEW_PATIENCE_MS);
  return (await readView(views, accountsProjection, accountId))?.handle ?? null;
}
