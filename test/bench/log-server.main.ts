/** The double of EventStoreDB as a process of its own. Answers every message with its address. */
import { startEventStoreDouble } from '../support/eventstoredb/double.ts';

const { url } = await startEventStoreDouble();
process.on('message', () => process.send?.(url));
process.send?.('ready');
