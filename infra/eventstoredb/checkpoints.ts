/** Checkpoints, each in a stream of its own whose name no log begins with, so that no subscription is given them. */
import { z } from 'zod';
import type { Checkpoints } from '../../events/checkpoints.ts';
import type { Connection } from './connection.ts';
import { type LatestValue, latestValue } from './latest-value.ts';

const KEPT = z.object({ position: z.string() });

export function eventStoreDbCheckpoints(connection: Connection, prefix: string): Checkpoints {
  const values = new Map<string, LatestValue>();
  const valueOf = (name: string): LatestValue => {
    const value =
      values.get(name) ?? latestValue(connection, `checkpoint-of-${prefix}${name}`, 'CheckpointKept');
    values.set(name, value);
    return value;
  };
  return {
    async get(name) {
      const value = await valueOf(name).get();
      return value === null ? null : KEPT.parse(value).position;
    },
    set: (name, position) => valueOf(name).set({ position }),
  };
}
