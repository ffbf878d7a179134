import { expect } from 'chai';
import { type KeyCommand, keyDecider } from '../../commands/key/key.ts';
import type { Occurred } from '../../events/event.ts';
import { sha256Hex } from '../../events/hash-chain.ts';
import type { KeyFact } from '../../events/key-events.ts';
import { scenarios } from '../support/given-when-then.ts';
import { AT, accountId, keyId, mandateId } from '../support/sample-mandate.ts';

const given = scenarios(keyDecider);

const key = {
  keyId,
  accountId,
  mandateId,
  name: 'Procurement agent',
  scopes: ['trials:create'],
  agency: null,
  secretHash: sha256Hex('the first secret'),
  hint: 'aaaa',
};
const next = { secretHash: sha256Hex('the second secret'), hint: 'bbbb' };

const issued: Occurred<KeyFact> = { type: 'ApiKeyIssued', data: key, at: AT };
const rotated: Occurred<KeyFact> = {
  type: 'ApiKeyRotated',
  data: { ...key, ...next, previousSecretHash: key.secretHash },
  at: AT,
};
const revoked: Occurred<KeyFact> = {
  type: 'ApiKeyRevoked',
  data: { keyId, mandateId, secretHash: key.secretHash, reason: 'it was lost' },
  at: AT,
};
const issue: KeyCommand = { type: 'IssueApiKey', key };
const rotate: KeyCommand = { type: 'RotateApiKey', ...next };
const revoke: KeyCommand = { type: 'RevokeApiKey', reason: 'it was lost' };

describe('An API key', () => {
  it('is issued once', () => {
    given().when(issue, AT).thenFacts({ type: 'ApiKeyIssued', data: key });
    given(issued).when(issue, AT).thenRejected({ kind: 'issued' });
    given(issued, revoked).when(issue, AT).thenRejected({ kind: 'issued' });
  });

  it('cannot be rotated or revoked before it is issued', () => {
    given().when(rotate, AT).thenRejected({ kind: 'absent' });
    given().when(revoke, AT).thenRejected({ kind: 'absent' });
  });

  it('gets a new secret and keeps all else: its mandate above all', () => {
    given(issued)
      .when(rotate, AT)
      .thenFacts({ type: 'ApiKeyRotated', data: { ...key, ...next, previousSecretHash: key.secretHash } });
    expect(given(issued, rotated).state).to.deep.equal({ status: 'active', key: { ...key, ...next } });
  });

  it('names the secret that was replaced, so that its holder is forgotten: the latest, not the first', () => {
    const third = { secretHash: sha256Hex('the third secret'), hint: 'cccc' };
    given(issued, rotated)
      .when({ type: 'RotateApiKey', ...third }, AT)
      .thenFacts({ type: 'ApiKeyRotated', data: { ...key, ...third, previousSecretHash: next.secretHash } });
  });

  it('is revoked with the secret that it has then', () => {
    const data = { keyId, mandateId, reason: 'it was lost' };
    given(issued)
      .when(revoke, AT)
      .thenFacts({ type: 'ApiKeyRevoked', data: { ...data, secretHash: key.secretHash } });
    given(issued, rotated)
      .when(revoke, AT)
      .thenFacts({ type: 'ApiKeyRevoked', data: { ...data, secretHash: next.secretHash } });
  });

  it('stays revoked: revoking it again changes nothing, and it gets no new secret', () => {
    given(issued, revoked).when(revoke, AT).thenNothing();
    given(issued, revoked).when(rotate, AT).thenRejected({ kind: 'revoked' });
  });
});
