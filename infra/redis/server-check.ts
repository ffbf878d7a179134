/** Whether a Redis is one that we can keep tasks in. */
import { QueueUnavailable } from '../../src/ports/queue.ts';

/** The oldest that bullmq recommends. */
export const OLDEST_VERSION = '6.2.0';

/**
 * What is wrong with it, for whoever runs it: tasks may be lost. Takes the answer to `INFO`.
 * @throws {QueueUnavailable} it is too old
 */
export function checkServer(info: string): readonly string[] {
  const fields = new Map(info.split(/\r?\n/).map((line) => split(line)));
  const version = fields.get('redis_version') ?? OLDEST_VERSION;
  if (isOlder(version, OLDEST_VERSION))
    throw new QueueUnavailable(`Redis ${version} is too old: ${OLDEST_VERSION} is the oldest that will do`);
  const warnings: string[] = [];
  const policy = fields.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction')
    warnings.push(
      `Redis throws away tasks when its memory is full: set maxmemory-policy to noeviction (it is ${policy})`,
    );
  if (fields.get('aof_enabled') === '0')
    warnings.push('Redis forgets tasks when it is restarted: set appendonly to yes');
  return warnings;
}

function split(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1)];
}

function isOlder(version: string, than: string): boolean {
  const [mine, other] = [version, than].map((text) => text.split('.').map(Number));
  const differing = [0, 1, 2].find((i) => mine?.[i] !== other?.[i]) ?? 0;
  return (mine?.[differing] ?? 0) < (other?.[differing] ?? 0);
}
