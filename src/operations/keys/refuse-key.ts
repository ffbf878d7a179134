/** What a key's no means to whoever asked. */
import { assertNever } from '../../../commands/decider.ts';
import type { KeyRejection } from '../../../commands/key/key-state.ts';
import { refuse, type Refused } from '../refusals.ts';
import type { Services } from '../services.ts';
import { tooMany, tooManyChanges } from '../too-many.ts';
import { noSuchKey } from '../mandates/find-mandate.ts';

/** @throws {LogContradiction} the view of keys shows a key that its stream does not have */
export async function refuseKey(
  services: Pick<Services, 'views'>,
  keyId: string,
  rejection: KeyRejection,
): Promise<Refused> {
  switch (rejection.kind) {
    case 'absent':
      return noSuchKey(services, keyId);
    case 'issued':
      return refuse('conflict', `the key ${keyId} was made before`);
    case 'revoked':
      return refuse('conflict', `${keyId} is revoked for good: make a new key`);
    case 'frozen_by_operator':
      return refuse('forbidden', `${keyId} was frozen by an operator, who alone can unfreeze it`);
    case 'too_many_secrets': {
      const { limit } = rejection;
      const message = `${limit} earlier secrets of ${keyId} still work: wait, or end them all at once`;
      return tooMany(message, limit, 'overlapSeconds', 'must be 0 for now');
    }
    case 'too_many_changes':
      return tooManyChanges('key', rejection);
    default:
      return assertNever(rejection);
  }
}
