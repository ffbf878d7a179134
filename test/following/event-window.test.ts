import { expect } from 'chai';
import type { EventPage } from '../../events/event-store.ts';
import type { RecordedEvent } from '../../events/event.ts';
import { eventWindow } from '../../src/following/event-window.ts';
import { newEvent } from '../support/new-event.ts';

const ALL = new Set(['Even', 'Odd']);

describe('The window of newest events', () => {
  it('gives what comes after a position, of the types asked for, and says how far that reaches', () => {
    const window = eventWindow('00', { events: 100, chars: 10_000 });
    window.add(page([1, 2, 3, 4], { caughtUp: true, position: '05' }));
    expect(taken(window.pageAfter('00', 10, ALL))).to.deep.equal([[1, 2, 3, 4], '05', true]);
    expect(taken(window.pageAfter('02', 10, ALL))).to.deep.equal([[3, 4], '05', true]);
    expect(taken(window.pageAfter('00', 10, new Set(['Odd'])))).to.deep.equal([[1, 3], '05', true]);
    expect(taken(window.pageAfter('04', 10, ALL))).to.deep.equal([[], '05', true]);
  });

  it('gives no more than asked for, and says that there is more', () => {
    const window = eventWindow('00', { events: 100, chars: 10_000 });
    window.add(page([1, 2, 3, 4], { caughtUp: true }));
    expect(taken(window.pageAfter('00', 2, ALL))).to.deep.equal([[1, 2], '02', false]);
    expect(taken(window.pageAfter('00', 2, new Set(['Even'])))).to.deep.equal([[2, 4], '04', true]);
    expect(taken(window.pageAfter('00', 1, new Set(['Even'])))).to.deep.equal([[2], '02', false]);
  });

  it('says what a page weighs by the pages that it was made of', () => {
    const window = eventWindow('00', { events: 100, chars: 10_000 });
    window.add(page([1, 2], { chars: 20 }));
    window.add(page([3], { chars: 5 }));
    expect(window.pageAfter('01', 10, ALL).chars).to.equal(15);
  });

  it('moves on when it holds too many events, and says from where everything is at hand', () => {
    const window = eventWindow('00', { events: 4, chars: 10_000 });
    for (const n of [1, 2, 3, 4]) window.add(page([n]));
    expect([window.after(), window.end()]).to.deep.equal(['00', '04']);
    window.add(page([5]));
    expect([window.after(), window.end()]).to.deep.equal(['03', '05']);
    expect(taken(window.pageAfter('03', 10, ALL))[0]).to.deep.equal([4, 5]);
  });

  it('moves on when its events are too long', () => {
    const window = eventWindow('00', { events: 100, chars: 100 });
    for (const n of [1, 2, 3]) window.add(page([n], { chars: 40 }));
    expect(window.after()).to.equal('02');
    expect(taken(window.pageAfter('02', 10, ALL))[0]).to.deep.equal([3]);
  });

  it('keeps its newest page however large it is', () => {
    const window = eventWindow('00', { events: 2, chars: 10 });
    window.add(page([1]));
    window.add(page([2, 3, 4, 5], { chars: 1_000 }));
    expect(window.after()).to.equal('01');
    expect(taken(window.pageAfter('01', 10, ALL))[0]).to.deep.equal([2, 3, 4, 5]);
  });

  it('knows which streams began in it', () => {
    const window = eventWindow('00', { events: 2, chars: 10_000 });
    const [first, second] = [recorded(1), recorded(2)];
    window.add(
      page([], {
        events: [
          { ...first, streamId: 'a', revision: 0 },
          { ...second, streamId: 'b' },
        ],
      }),
    );
    expect([window.hasBegun('a'), window.hasBegun('b')]).to.deep.equal([true, false]);
    window.add(page([3]));
    window.add(page([4]));
    expect(window.hasBegun('a')).to.equal(false);
  });

  it('moves its end on with a page that is empty', () => {
    const window = eventWindow('00', { events: 2, chars: 10 });
    window.add(page([], { position: '07', caughtUp: true }));
    expect([window.after(), window.end(), window.isAtEnd()]).to.deep.equal(['00', '07', true]);
  });
});

function page(numbers: readonly number[], more: Partial<EventPage> = {}): EventPage {
  const events = numbers.map(recorded);
  return { events, chars: events.length, position: events.at(-1)?.position ?? '', caughtUp: false, ...more };
}

function recorded(n: number): RecordedEvent {
  const position = String(n).padStart(2, '0');
  return { ...newEvent({ type: n % 2 === 0 ? 'Even' : 'Odd' }), streamId: 'numbers', revision: n, position };
}

function taken({ events, position, caughtUp }: EventPage): [number[], string, boolean] {
  return [events.map(({ revision }) => revision), position, caughtUp];
}
