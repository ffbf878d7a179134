/** The service's log: one JSON object on each line of standard output. */
import { pino, type Logger } from 'pino';
import { printableJson } from './printable.ts';

/** One wide line for each request. It has no field in which a secret could stand: addresses are given as patterns. */
export interface RequestLine {
  readonly requestId: string;
  /** The caller's own, if it sent one. */
  readonly clientRequestId: string | undefined;
  readonly operation: string;
  readonly method: string | undefined;
  /** Such as `/v1/agents/{slug}`. */
  readonly route: string;
  readonly status: number;
  /** Of the refusal. */
  readonly code: string | undefined;
  readonly durationMs: number;
  readonly keyId: string | undefined;
  /** The first answer to this Idempotency-Key once more. */
  readonly replayed: true | undefined;
  /** The caller had gone before the answer. */
  readonly gone: true | undefined;
}

export interface Log extends Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'> {
  readonly request: (line: RequestLine) => void;
}

/** Those that are told together mostly are of one millisecond. */
let latest = { ms: Number.NaN, text: '' };

/** An instant as this program writes every one (RFC 3339, UTC), given as Unix milliseconds. */
export function instantAt(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

/** Lines wait for company at most so long: a write for each line would cost a request more than its work. */
const FLUSH_INTERVAL_MS = 200;
/** Some two hundred lines. To write 25 at a time took 4 of the 91 µs of a page of the Data API. */
const TOGETHER_CHARS = 65_536;

/** What must never be written, wherever it might stand one level down. */
const SECRETS = ['authorization', 'cookie', 'key', 'secret', 'token', 't', 'sig'];

export function createLog(level: string, destination: pino.DestinationStream = standardOutput()): Log {
  // Lines may repeat what other servers said, and are read on a terminal.
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: [...SECRETS, ...SECRETS.map((name) => `*.${name}`)],
      hooks: { streamWrite: printableJson },
    },
    destination,
  );
  const tellsRequests = log.isLevelEnabled('info');
  return {
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: log.warn.bind(log),
    error: log.error.bind(log),
    flush: log.flush.bind(log),
    request(line) {
      if (tellsRequests) destination.write(requestText(line));
    },
  };
}

/**
 * As pino writes it, for less than half: there is one for each request. It has neither secrets nor what a terminal obeys,
 * for which all other lines are searched.
 */
function requestText(line: RequestLine): string {
  const fields = JSON.stringify(line).slice(1, -1);
  return `{"level":"info","time":"${instantAt(Date.now())}",${fields},"msg":"request"}\n`;
}

let output: pino.DestinationStream | undefined;

/** One for the process, whose end it listens to. */
function standardOutput(): pino.DestinationStream {
  return (output ??= bufferedOutput());
}

function bufferedOutput(): pino.DestinationStream {
  // What it is handed it writes at once; with 0 a flush would not wait for that.
  const stdout = pino.destination({ dest: 1, sync: false, minLength: 1, maxWrite: 2 * TOGETHER_CHARS });
  const { handOn, ...gathered } = gathering(stdout);
  // Before pino's own listener, which writes out what it was handed.
  process.prependListener('exit', handOn);
  return gathered;
}

/** Hands on in one piece what is written within a while: pino's own buffer is measured anew at each write. */
export function gathering(output: Pick<ReturnType<typeof pino.destination>, 'write' | 'flush'>) {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const handOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const together = lines;
    lines = '';
    if (together !== '') output.write(together);
  };
  return {
    handOn,
    write(line: string): void {
      lines += line;
      if (lines.length >= TOGETHER_CHARS) handOn();
      else timer ??= setTimeout(handOn, FLUSH_INTERVAL_MS).unref();
    },
    flush(done?: (error?: Error) => void): void {
      handOn();
      output.flush(done);
    },
  };
}
