/** Programs that import, run as processes of their own and killed; and what the log has after it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openMarket } from '../../src/composition/app.ts';
import { readKnownRows } from '../../src/importing/known-rows.ts';
import { createLog } from '../../src/logging/log.ts';
import { readConfig } from '../../src/settings/config.ts';
import { endChild, endWithUs } from '../support/child-processes.ts';
import { readAll } from '../support/event-log.ts';
import type { Settings } from '../support/served-market.ts';
import { until } from '../support/until.ts';

/** @param program beside this file; it says something once its market is open, and `half` where it is told to halt */
export function importProgram(program: string) {
  const main = fileURLToPath(new URL(program, import.meta.url));

  function start(source: string, settings: Settings, ...halts: string[]) {
    const child = spawn(process.execPath, ['--import', 'tsx', main, source, ...halts], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithUs(child);
    return child;
  }

  return {
    /** Kills it some milliseconds after its market is open. @returns 1 if it was still at it */
    async runAndKill(source: string, settings: Settings, afterMs: number): Promise<number> {
      const child = start(source, settings);
      const ended = once(child, 'exit');
      await Promise.race([once(child.stdout, 'data'), ended]);
      await Promise.race([delay(afterMs), ended]);
      const isRunning = child.exitCode === null;
      child.kill('SIGKILL');
      await ended;
      return isRunning ? 1 : 0;
    },
    /** Kills it where it halts. @param halt where that is, as the program takes it */
    async runHalf(source: string, settings: Settings, halt: string): Promise<void> {
      const child = start(source, settings, halt);
      try {
        let output = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
        await until('half of it is there', () => output.includes('half'), 60_000);
      } finally {
        await endChild(child, 'SIGKILL');
      }
    },
    async runWhole(source: string, settings: Settings): Promise<number | null> {
      const child = start(source, settings);
      child.stdout.resume();
      await once(child, 'exit');
      return child.exitCode;
    },
  };
}

/** How many rows the log has, and of which rounds they are; nothing is finished by looking. */
export async function roundsIn(settings: Settings, dataset: string) {
  const { services, close } = await openMarket(readConfig(settings), createLog('silent'));
  try {
    const { rows, underWay } = await readKnownRows(services.events, dataset);
    const latest = new Map<string, unknown>();
    for (const { data } of await readAll(services.events, `dataset-${dataset}`)) {
      if (!('rows' in data) || !Array.isArray(data.rows)) continue;
      for (const row of data.rows) latest.set(row.id, row.fields.round);
    }
    return { size: rows.size, rounds: new Set(latest.values()), underWay };
  } finally {
    await close();
  }
}
