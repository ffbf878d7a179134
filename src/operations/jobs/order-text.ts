/** What a buyer wrote freely of an order: read for its owner, and for its agency while that needs it. */
import type { OrderText } from '../../../events/mandate-events.ts';
import type { JobDocument } from '../../../projections/jobs.ts';
import { ofOrder } from '../private-texts/private-texts.ts';
import type { Services } from '../services.ts';

/** Null where the account's key was erased. @throws {AccountKeysUnavailable} */
export function orderTextOf(
  { accountId, spendId, text }: Pick<JobDocument, 'accountId' | 'spendId' | 'text'>,
  { privateTexts }: Pick<Services, 'privateTexts'>,
): Promise<OrderText | null> {
  return privateTexts.read<OrderText>(accountId, ofOrder(spendId), text);
}
