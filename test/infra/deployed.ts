/** What each way of deploying is held to. */
import { expect } from 'chai';
import { parseAddress as parseEventStoreAddress } from '../../infra/eventstoredb/address.ts';
import { parseAddress as parseRedisAddress } from '../../infra/redis/address.ts';
import { readConfig } from '../../src/settings/config.ts';
import { ROLES } from '../../src/settings/roles.ts';
import { settings } from '../../src/settings/settings.ts';
import { projectFile } from '../support/deployment.ts';

export const SECRET = 'c'.repeat(64);
export const PARTS = ROLES.filter((role) => role !== 'all');
const SETTING_NAMES: readonly string[] = Object.values(settings).map(({ name }) => name);
export const PORT = Number(
  / PORT=(?<port>\d+)/.exec(projectFile('infra/docker/Dockerfile'))?.groups?.['port'],
);
export const VERSION: string = JSON.parse(projectFile('package.json')).version;

export function expectSettings(env: Readonly<Record<string, string>>): void {
  expect(Object.keys(env).filter((name) => !SETTING_NAMES.includes(name))).to.deep.equal([]);
  const { eventStore, redis } = readConfig(env);
  // What a setting lets through, its engine may still refuse.
  parseEventStoreAddress(eventStore?.url ?? '');
  parseRedisAddress(redis?.url ?? '');
}
