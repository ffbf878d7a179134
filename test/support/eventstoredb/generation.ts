/**
 * The servers that a double can be: 23.10, or 24.2 and later up to KurrentDB. What a client sees of the difference: who
 * is too slow for live events is dropped by the one and caught up again by the other, filtered subscriptions get
 * checkpoints at other moments, and a position in the midst of a record is refused in other words.
 */
export type Generation = '23.10' | '24.2';
