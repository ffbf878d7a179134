/** The keys of one account, the oldest first. */
import { type ApiKeyDocument, apiKeysProjection } from '../../../projections/api-keys.ts';
import type { Services } from '../services.ts';
import { everyRow } from '../walk-view.ts';

/** More than people look through. */
const MOST = 500;

export function keysOf(views: Services['views'], accountId: string): Promise<readonly ApiKeyDocument[]> {
  return everyRow(views, apiKeysProjection.name, { filter: { accountId }, order: 'createdAt' }, MOST);
}
