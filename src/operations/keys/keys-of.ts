/** The keys of one account, the oldest first. */
import { type ApiKeyDocument, apiKeysProjection } from '../../../projections/api-keys.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import type { Services } from '../services.ts';

/** More than people look through. */
const MOST = 500;

export async function keysOf(
  views: Services['views'],
  accountId: string,
): Promise<readonly ApiKeyDocument[]> {
  const query = { filter: { accountId }, order: 'createdAt', limit: MOST };
  const { rows } = await views.page(apiKeysProjection.name, query);
  return rows.map((row) => parseDocument<ApiKeyDocument>(row));
}
