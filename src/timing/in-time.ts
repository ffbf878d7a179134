import { setTimeout as pause } from 'node:timers/promises';

/** The answer, unless it takes longer: then it is nobody's any more. Keeps no process alive. @throws what `late` makes */
export async function inTime<Answer>(
  answer: Promise<Answer>,
  ms: number,
  late: () => Error,
): Promise<Answer> {
  const settled = new AbortController();
  const lateness = pause(ms, undefined, { signal: settled.signal, ref: false }).then((): never => {
    throw late();
  });
  // It ends early where the answer was in time.
  lateness.catch(() => {});
  try {
    return await Promise.race([answer, lateness]);
  } finally {
    settled.abort();
  }
}
