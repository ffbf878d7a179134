import { apiKeysProjection } from '../../../projections/api-keys.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { unlessShown } from '../unless-shown.ts';

/** To a caller who may know of every key. @throws {LogContradiction} the view of keys shows it */
export async function noSuchKey({ views }: Pick<Services, 'views'>, keyId: string): Promise<Refused> {
  await unlessShown(views, apiKeysProjection, keyId);
  return refuse('not_found', `there is no key ${keyId}`);
}
