/**
 * The address of an endpoint that only listens: nothing is sent there. Its messages are in its list of deliveries, where
 * whoever holds the key finds them, so that webhooks can be built on a machine that has no public address.
 */
export const LISTENING = 'listen:';
