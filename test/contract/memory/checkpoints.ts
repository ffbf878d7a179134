import type { Checkpoints } from '../../../events/checkpoints.ts';

/** Checkpoints that last as long as the process. */
export function memoryCheckpoints(): Checkpoints {
  const positions = new Map<string, string>();
  return {
    get: async (name) => positions.get(name) ?? null,
    set: async (name, position) => {
      positions.set(name, position);
    },
  };
}
