import { reactionDecider, type SkipReactionEvent } from '../../commands/reaction/reaction.ts';
import { scenarios } from '../support/given-when-then.ts';

const given = scenarios(reactionDecider);
const AT = '2026-11-02T08:00:00.000Z';
const skipped = (eventId: string) => ({
  type: 'ReactionEventSkipped' as const,
  data: { reaction: 'when-x-then-y', eventId, position: '0000000000000042', reason: 'nobody waits for it' },
});
const skip = (eventId: string): SkipReactionEvent => ({
  type: 'SkipReactionEvent',
  skip: skipped(eventId).data,
});
const ONE = 'evt_01kb3j5m8xe3vb0v6yq4s5t7w1';
const OTHER = 'evt_01kb3j5m8xe3vb0v6yq4s5t7w2';

describe('A reaction', () => {
  it('goes on without an event that a person names', () => {
    given().when(skip(ONE), AT).thenFacts(skipped(ONE));
  });
  it('keeps the first decision about an event, and takes one about another', () => {
    const history = { ...skipped(ONE), at: AT };
    given(history).when(skip(ONE), AT).thenNothing();
    given(history).when(skip(OTHER), AT).thenFacts(skipped(OTHER));
    given(history, { ...skipped(OTHER), at: AT })
      .when(skip(ONE), AT)
      .thenNothing();
  });
});
