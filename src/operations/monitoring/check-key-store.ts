/** Whether the store of keys is the one that the log's texts were encrypted with. */
import { type JobDocument, jobsProjection } from '../../../projections/jobs.ts';
import { ForeignAccountKeys } from '../../ports/account-keys.ts';
import { orderTextOf } from '../jobs/order-text.ts';
import { parseDocument } from '../../../projections/stored-document.ts';
import type { Services } from '../services.ts';

/** A store that was lost or swapped fails the first of them; one that an older copy took the place of, the last. */
const TRIED = 5;
const ORDERS = ['fundingExpiresAt', '-createdAt'] as const;

/**
 * Tries the orders of the oldest and of the newest jobs. A store that lacks a key makes another for the account's next
 * text: whoever puts the right store back later has texts under two keys, so it must be known at once.
 * @throws {ViewsUnavailable | AccountKeysUnavailable} it cannot be told now
 */
export async function checkKeyStore(
  services: Pick<Services, 'views' | 'privateTexts'>,
): Promise<ForeignAccountKeys | null> {
  for (const order of ORDERS) {
    const page = await services.views.page(jobsProjection.name, { filter: {}, order, limit: TRIED });
    for (const row of page.rows) {
      try {
        await orderTextOf(parseDocument<JobDocument>(row), services);
      } catch (error) {
        if (error instanceof ForeignAccountKeys) return error;
        throw error;
      }
    }
  }
  return null;
}
