/** By what followers know the log again. */
import { expect } from 'chai';
import { type EventStore, NO_STREAM } from '../../events/event-store.ts';
import { append, eventsOf, pagesUntil } from '../support/event-log.ts';
import { newEvent, newEvents, newStream } from '../support/new-event.ts';

export function knowsItself(store: () => EventStore): void {
  describe('marks', () => {
    it('bear the identity of the log', () => {
      expect(store().marks.logId()).to.match(/^\S{8,}$/);
    });

    it('name an event that stands at its position, once a follower was given it', async () => {
      const { marks } = store();
      const after = await store().head();
      const mine = newEvents(3);
      await append(store(), newStream(), NO_STREAM, mine);
      const isMine = ({ id }: { readonly id: string }): boolean => mine.some((event) => event.id === id);
      const pages = await pagesUntil(store(), { after }, (events) => events.filter(isMine).length === 3);
      const mark = await marks.at(pages.at(-1)?.position ?? '');
      const last = eventsOf(pages).at(-1);
      expect(mark).to.deep.include({
        logId: marks.logId(),
        position: last?.position,
        eventId: last?.id,
        at: last?.at,
      });
      expect(await marks.eventIdAt(last?.position ?? '')).to.equal(last?.id);
    });

    it('know no event where none is, or where the log has not come yet', async () => {
      const { marks } = store();
      const written = await append(store(), newStream(), NO_STREAM, [newEvent()]);
      const position = written.ok ? written.position : '';
      const beyond = position.replace(/^./, '8');
      expect(store().knows(beyond)).to.equal(true);
      expect(await marks.eventIdAt(beyond)).to.equal(null);
      expect(await marks.eventIdAt(position)).not.to.equal(null);
    });
  });
}
