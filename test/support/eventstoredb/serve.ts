/**
 * The double as a process, for tests that kill the log as they kill processes, and for whoever wants to try something
 * on it. It prints its address, and ends by SIGTERM or SIGINT; `kill -9` is what `--keep` is for.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startEventStoreDouble } from './double.ts';
import { createLedger } from './ledger.ts';
import { type KeptLedger, openKeptLedger } from './kept-log.ts';

const USAGE = 'npx tsx test/support/eventstoredb/serve.ts --generation 23.10|24.2 [--port N] [--keep FILE]';
const MAX_PORT = 65_535;
const ARGUMENTS = z.strictObject({
  generation: z.enum(['23.10', '24.2'], 'is 23.10 or 24.2'),
  port: z
    .string()
    .regex(/^\d+$/, 'is a number')
    .transform(Number)
    .refine((port) => port <= MAX_PORT, `is at most ${MAX_PORT}`)
    .default(0),
  keep: z.string().min(1, 'is the name of a file').optional(),
});

const { generation, port, keep } = readArguments();
const { ledger, close } = openLedger(keep);
const double = await start();
process.stdout.write(`${double.url}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void double.stop().then(() => end(0)));
}

function start() {
  const onDeath = (): void => end(1);
  return startEventStoreDouble({ generation, port, ledger, onDeath }).catch((error: unknown) =>
    refuse(`--port ${port} cannot be used: ${messageOf(error)}`),
  );
}

function openLedger(path: string | undefined): KeptLedger {
  if (path === undefined) return { ledger: createLedger(), close: () => {} };
  try {
    return openKeptLedger(path);
  } catch (error) {
    return refuse(`--keep ${path} cannot be used: ${messageOf(error)}`);
  }
}

function readArguments(): z.output<typeof ARGUMENTS> {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ options: { generation: text, port: text, keep: text } });
    const { data, error } = ARGUMENTS.safeParse(values);
    const [wrong] = error?.issues ?? [];
    return data ?? refuse(`--${wrong?.path.join('.')} ${wrong?.message}; ${USAGE}`);
  } catch (error) {
    return refuse(`${messageOf(error)}; ${USAGE}`);
  }
}

/** In one line. */
function refuse(why: string): never {
  process.stderr.write(`${why.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exit(2);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function end(code: number): void {
  close();
  process.exit(code);
}
