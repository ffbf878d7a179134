/** The service's log: one JSON object on each line of standard output. */
import { pino, type Logger } from 'pino';

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'isLevelEnabled' | 'flush'>;

/** Lines wait for company at most so long: a write for each line would cost a request more than its work. */
const FLUSH_INTERVAL_MS = 200;
const BUFFER_BYTES = 8_192;

/** What must never be written, wherever it might stand one level down. Addresses are logged by route pattern. */
const SECRETS = ['authorization', 'cookie', 'key', 'secret', 'token', 't', 'sig'];

export function createLog(level: string, destination: pino.DestinationStream = bufferedOutput()): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)],
    },
    destination,
  );
}

function bufferedOutput(): pino.DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => output.flush(), FLUSH_INTERVAL_MS).unref();
  return output;
}
