/** What there is to spend on: a mandate that allows anything else allows nothing. */
export const SPENDING_ACTIONS = ['trial:create'] as const;
