/** Our own deadline around calls whose client knows none, or does not keep it. */
import { CallFailure } from './failures.ts';

/**
 * What `work` resolves to, unless it takes longer. `work` is told by its signal when nobody waits for it any more, so
 * that it can leave what it has begun.
 * @throws {CallFailure} `silent`, after `ms`
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over.abort();
      reject(new CallFailure('silent', `no answer within ${Math.round(ms)} ms`));
    }, ms);
  });
  try {
    // What comes after the deadline has somebody to listen: the race does so to its end.
    return await Promise.race([work(over.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
