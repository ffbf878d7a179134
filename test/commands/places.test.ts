import { expect } from 'chai';
import { SNAPSHOT_EVERY_EVENTS } from '../../commands/decider.ts';
import { type FreePlaces, placesDecider, placesId, type TakePlace } from '../../commands/places/places.ts';
import type { PlaceFact } from '../../events/place-events.ts';
import { scenarios } from '../support/given-when-then.ts';

const given = scenarios(placesDecider);
const AT = '2026-11-02T08:00:00.000Z';
const of = { kind: 'webhook-endpoints', owner: 'acc_a' } as const;
const taken = (holder: string) => ({ type: 'PlaceTaken', data: { ...of, holder } }) as const;
const at = <F extends object>(fact: F) => ({ ...fact, at: AT });
const take = (holder: string, more: Partial<TakePlace> = {}): TakePlace => {
  return { type: 'TakePlace', ...of, holder, limit: 2, standing: [], ...more };
};

describe('Places', () => {
  it('are of one kind and one owner', () => {
    expect(placesId(of)).to.equal('webhook-endpoints-acc_a');
  });
  it('are taken while there are some', () => {
    given(at(taken('one')))
      .when(take('two'), AT)
      .thenFacts(taken('two'));
    given(at(taken('one')), at(taken('two')))
      .when(take('three'), AT)
      .thenRejected({ kind: 'full' });
  });
  it('are taken once by whoever has one', () => {
    given(at(taken('one')), at(taken('two')))
      .when(take('one'), AT)
      .thenNothing();
  });
  it('count what stands without one, each once', () => {
    given(at(taken('one')))
      .when(take('two', { standing: ['one'] }), AT)
      .thenFacts(taken('two'));
    given(at(taken('one')))
      .when(take('two', { standing: ['old'] }), AT)
      .thenRejected({ kind: 'full' });
    given(at(taken('one')))
      .when(take('old', { standing: ['old'] }), AT)
      .thenNothing();
  });
  it('are taken again once they were freed', () => {
    const freed = { type: 'PlacesFreed', data: { ...of, holders: ['one'] } } satisfies PlaceFact;
    const full = given(at(taken('one')), at(taken('two')));
    full.when({ type: 'FreePlaces', ...of, holders: ['one', 'unknown'] }, AT).thenFacts(freed);
    full.when({ type: 'FreePlaces', ...of, holders: ['unknown'] }, AT).thenNothing();
    given(at(taken('one')), at(taken('two')), at(freed))
      .when(take('three'), AT)
      .thenFacts(taken('three'));
  });
  it('are read back to the last time that some were freed after a hundred events', () => {
    const free = (holder: string): FreePlaces => ({ type: 'FreePlaces', ...of, holders: [holder] });
    const freed = (holder: string): PlaceFact => ({
      type: 'PlacesFreed',
      data: { ...of, holders: [holder] },
    });
    const history = Array.from({ length: SNAPSHOT_EVERY_EVENTS / 2 - 1 }, (_, n) => n).flatMap((n) => [
      at(taken(`holder-${n}`)),
      at(freed(`holder-${n}`)),
    ]);
    given(...history, at(taken('one')))
      .when(free('one'), AT)
      .thenFacts(freed('one'));
    const carried = {
      type: 'PlacesFreed',
      data: { ...of, holders: ['one'], held: [{ holder: 'two', since: AT }] },
    } satisfies PlaceFact;
    given(...history, at(taken('one')), at(taken('two')))
      .when(free('one'), AT)
      .thenFacts(carried);
    const since = given(at(carried));
    expect(since.state).to.deep.equal({ held: new Map([['two', AT]]), eventsSinceSnapshot: 0 });
    since.when(take('two'), AT).thenNothing();
    since.when(take('three', { limit: 1 }), AT).thenRejected({ kind: 'full' });
    expect(placesDecider.isSnapshot?.(carried.type, carried.data)).to.equal(true);
    expect(placesDecider.isSnapshot?.('PlacesFreed', freed('one').data)).to.equal(false);
  });
});
