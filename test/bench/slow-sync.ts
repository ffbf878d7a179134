/** A disk whose syncs take 5 ms more, for children: slow-sync.c, built when it is wanted. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The environment that slows a child's syncs, or why there is none. */
export function slowSync(folder: string): { env: Record<string, string> } | { reason: string } {
  const library = join(folder, 'slow-sync.so');
  const source = fileURLToPath(new URL('slow-sync.c', import.meta.url));
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'pipe' });
    return { env: { LD_PRELOAD: library } };
  } catch (error) {
    return { reason: `no C compiler has built slow-sync.c: ${String(error).split('\n')[0]}` };
  }
}
