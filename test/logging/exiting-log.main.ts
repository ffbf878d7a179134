/** Logs as the service does, and ends in the same turn: with exit code 0, or by an error that nobody catches. */
import { createLog } from '../../src/logging/log.ts';

const log = createLog('info');
log.info('first');
log.warn('second');
if (process.argv[2] === 'exit') process.exit(0);
throw new Error('nobody catches this');
