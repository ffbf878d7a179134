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
  expiresAt: null,
};
const { secretHash: _secret, hint: _hint, ...holder } = key;
const next = { secretHash: sha256Hex('the second secret'), hint: 'bbbb' };
const LATER = '2026-11-27T11:30:00.000Z';
const atOnce = {
  previousSecretHash: key.secretHash,
  previousWorksUntil: null,
  endedSecretHashes: [key.secretHash],
  isFrozen: false,
};
const overlapping = { ...atOnce, previousWorksUntil: LATER, endedSecretHashes: [] };

const issued: Occurred<KeyFact> = { type: 'ApiKeyIssued', data: key, at: AT };
const rotated: Occurred<KeyFact> = { type: 'ApiKeyRotated', data: { ...key, ...next, ...atOnce }, at: AT };
const overlapped: Occurred<KeyFact> = {
  type: 'ApiKeyRotated',
  data: { ...key, ...next, ...overlapping },
  at: AT,
};
const frozenBy = (by: 'owner' | 'operator'): Occurred<KeyFact> => ({
  type: 'ApiKeyFrozen',
  data: { keyId, secretHashes: [key.secretHash], by, reason: 'odd calls' },
  at: AT,
});
const revoked: Occurred<KeyFact> = {
  type: 'ApiKeyRevoked',
  data: { keyId, mandateId, secretHashes: [key.secretHash], reason: 'it was lost' },
  at: AT,
};
const issue: KeyCommand = { type: 'IssueApiKey', key };
const rotate: KeyCommand = { type: 'RotateApiKey', ...next, previousWorksUntil: null };
const overlap: KeyCommand = { type: 'RotateApiKey', ...next, previousWorksUntil: LATER };
const freeze = (by: 'owner' | 'operator'): KeyCommand => ({ type: 'FreezeApiKey', by, reason: 'odd calls' });
const unfreeze = (by: 'owner' | 'operator'): KeyCommand => ({ type: 'UnfreezeApiKey', by });
const rename: KeyCommand = { type: 'AmendApiKey', changes: { name: 'Other agent', expiresAt: LATER } };
const revoke: KeyCommand = { type: 'RevokeApiKey', reason: 'it was lost' };

describe('An API key', () => {
  it('is issued once', () => {
    given().when(issue, AT).thenFacts({ type: 'ApiKeyIssued', data: key });
    given(issued).when(issue, AT).thenRejected({ kind: 'issued' });
    given(issued, revoked).when(issue, AT).thenRejected({ kind: 'issued' });
  });

  it('cannot be changed before it is issued', () => {
    for (const command of [rotate, rename, freeze('owner'), unfreeze('owner'), revoke])
      given().when(command, AT).thenRejected({ kind: 'absent' });
  });

  it('is amended: what is named changes, the rest and the secrets stay', () => {
    const data = { ...holder, name: 'Other agent', expiresAt: LATER, secretHashes: [key.secretHash] };
    given(issued).when(rename, AT).thenFacts({ type: 'ApiKeyAmended', data });
    const amended: Occurred<KeyFact> = { type: 'ApiKeyAmended', data, at: AT };
    given(issued, amended).when(rename, AT).thenNothing();
    expect(given(issued, amended).state).to.deep.include({
      key: { ...key, name: 'Other agent', expiresAt: LATER },
    });
  });

  describe('that gets a new secret', () => {
    it('keeps all else: its mandate above all', () => {
      given(issued)
        .when(rotate, AT)
        .thenFacts({ type: 'ApiKeyRotated', data: { ...key, ...next, ...atOnce } });
      expect(given(issued, rotated).state).to.deep.equal({
        status: 'active',
        key: { ...key, ...next },
        frozenBy: null,
        former: [],
        amendedAt: [],
        rotatedAt: [AT],
      });
    });

    it('keeps the old one for a while where that is wished', () => {
      given(issued)
        .when(overlap, AT)
        .thenFacts({ type: 'ApiKeyRotated', data: { ...key, ...next, ...overlapping } });
      expect(given(issued, overlapped).state).to.deep.include({
        former: [{ secretHash: key.secretHash, worksUntil: LATER }],
      });
    });

    const third = { secretHash: sha256Hex('the third secret'), hint: 'cccc' };

    it('ends every earlier one when it is rotated at once', () => {
      given(issued, overlapped)
        .when({ type: 'RotateApiKey', ...third, previousWorksUntil: null }, AT)
        .thenFacts({
          type: 'ApiKeyRotated',
          data: {
            ...key,
            ...third,
            previousSecretHash: next.secretHash,
            previousWorksUntil: null,
            endedSecretHashes: [next.secretHash, key.secretHash],
            isFrozen: false,
          },
        });
    });

    it('forgets those whose time is over, and bounds how many work beside each other', () => {
      const secrets = ['1', '2', '3', '4', '5'].map((text) => sha256Hex(text));
      const rotations = secrets.map((secretHash, i): Occurred<KeyFact> => {
        const previousSecretHash = secrets[i - 1] ?? key.secretHash;
        const data = { ...key, ...overlapping, secretHash, hint: 'dddd', previousSecretHash };
        return { type: 'ApiKeyRotated', data, at: AT };
      });
      const four = rotations.slice(0, 4);
      const again: KeyCommand = { type: 'RotateApiKey', ...third, previousWorksUntil: LATER };
      given(issued, ...four)
        .when(again, AT)
        .thenRejected({ kind: 'too_many_secrets', limit: 4 });
      given(issued, ...four)
        .when(again, LATER)
        .thenFacts({
          type: 'ApiKeyRotated',
          data: {
            ...key,
            ...third,
            previousSecretHash: secrets[3] ?? '',
            previousWorksUntil: LATER,
            endedSecretHashes: [key.secretHash, ...secrets.slice(0, 3)],
            isFrozen: false,
          },
        });
    });
  });

  describe('that is frozen', () => {
    it('names every secret that works, and is left as it is when it is frozen again', () => {
      const data = { keyId, secretHashes: [next.secretHash, key.secretHash], reason: 'odd calls' };
      given(issued, overlapped)
        .when(freeze('owner'), AT)
        .thenFacts({ type: 'ApiKeyFrozen', data: { ...data, by: 'owner' } });
      given(issued, frozenBy('owner')).when(freeze('owner'), AT).thenNothing();
      given(issued, frozenBy('operator')).when(freeze('owner'), AT).thenNothing();
    });

    it('is unfrozen by its owner, but not where an operator froze it', () => {
      const thawed: KeyFact = { type: 'ApiKeyUnfrozen', data: { keyId, secretHashes: [key.secretHash] } };
      given(issued, frozenBy('owner')).when(unfreeze('owner'), AT).thenFacts(thawed);
      given(issued, frozenBy('operator'))
        .when(unfreeze('owner'), AT)
        .thenRejected({ kind: 'frozen_by_operator' });
      given(issued, frozenBy('owner'), frozenBy('operator'))
        .when(unfreeze('owner'), AT)
        .thenRejected({ kind: 'frozen_by_operator' });
      given(issued, frozenBy('operator')).when(unfreeze('operator'), AT).thenFacts(thawed);
      given(issued).when(unfreeze('owner'), AT).thenNothing();
    });

    it('stays frozen with a new secret', () => {
      given(issued, frozenBy('owner'))
        .when(rotate, AT)
        .thenFacts({ type: 'ApiKeyRotated', data: { ...key, ...next, ...atOnce, isFrozen: true } });
    });
  });

  it('is amended and rotated a hundred times in a day each and no more, and can be revoked all the same', () => {
    const minute = (n: number) => new Date(Date.parse(AT) + n * 60_000).toISOString();
    const hundred = (fact: KeyFact) =>
      Array.from({ length: 100 }, (_, n): Occurred<KeyFact> => ({ ...fact, at: minute(n) }));
    const amendments = hundred({ type: 'ApiKeyAmended', data: { ...holder, secretHashes: [] } });
    const rotations = hundred(rotated);
    const day = 24 * 60;
    const until = minute(day);
    for (const [command, changes, others] of [
      [rename, amendments, rotations],
      [rotate, rotations, amendments],
      [overlap, rotations, amendments],
    ] as const) {
      expect(keyDecider.decide(command, given(issued, ...others).state, minute(day - 1)).ok).to.equal(true);
      given(issued, ...changes)
        .when(command, minute(day - 1))
        .thenRejected({ kind: 'too_many_changes', until });
      expect(keyDecider.decide(command, given(issued, ...changes).state, until).ok).to.equal(true);
      expect(
        keyDecider.decide(command, given(issued, ...changes.slice(1)).state, minute(day - 1)).ok,
      ).to.equal(true);
    }
    for (const command of [revoke, freeze('owner'), freeze('operator')])
      expect(
        keyDecider.decide(command, given(issued, ...amendments, ...rotations).state, minute(day - 1)).ok,
      ).to.equal(true);
    const same: KeyCommand = { type: 'AmendApiKey', changes: {} };
    given(issued, ...amendments)
      .when(same, minute(day - 1))
      .thenNothing();
  });

  it('is revoked with every secret that it has then', () => {
    const data = { keyId, mandateId, reason: 'it was lost' };
    for (const [history, secretHashes] of [
      [[issued], [key.secretHash]],
      [[issued, rotated], [next.secretHash]],
      [
        [issued, overlapped],
        [next.secretHash, key.secretHash],
      ],
      [[issued, frozenBy('operator')], [key.secretHash]],
    ] as const)
      given(...history)
        .when(revoke, AT)
        .thenFacts({ type: 'ApiKeyRevoked', data: { ...data, secretHashes: [...secretHashes] } });
  });

  it('stays revoked: revoking it again changes nothing, and nothing else can be done', () => {
    given(issued, revoked).when(revoke, AT).thenNothing();
    for (const command of [rotate, rename, freeze('operator'), unfreeze('operator')])
      given(issued, revoked).when(command, AT).thenRejected({ kind: 'revoked' });
  });
});
