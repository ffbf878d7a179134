/**
 * Runs clients that nobody here wrote against the built program, and prints who passed what.
 * `npm run clients` runs all, `npm run clients -- NAME…` some. What they need is installed into a temporary folder.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../support/project-root.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type Client, type Place, Skipped } from './client.ts';
import { startMarket } from './market.ts';
import { mcpClients } from './mcp-clients.ts';
import { generatedClients } from './openapi-clients.ts';

const CLIENTS: readonly Client[] = [...generatedClients, ...mcpClients];

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !CLIENTS.some((client) => client.name === name));
  if (unknown !== undefined)
    throw new Error(`there is no client ${unknown}: ${CLIENTS.map(({ name }) => name).join(', ')}`);
  const wanted = CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const folder = await tempFolder();
  const market = await startMarket();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    for (const client of wanted) {
      const startedMs = performance.now();
      const outcome = await outcomeOf(client, folder.path, await market.newcomer());
      counts[outcome.kind] += 1;
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
      process.stdout.write(
        `${outcome.kind.padEnd(8)}${client.name.padEnd(36)}${seconds.padStart(4)} s  ${outcome.note}\n`,
      );
    }
  } finally {
    await market.stop();
    await folder.remove();
  }
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  if (counts.failed > 0) process.exitCode = 1;
}

/** Tried once more, since packages come over a network. */
async function readyPlace(client: Client, root: string): Promise<Place> {
  try {
    const place = await placeFor(client, root);
    await client.prepare(place);
    return place;
  } catch (error) {
    if (error instanceof Skipped) throw error;
    const place = await placeFor(client, root);
    await client.prepare(place);
    return place;
  }
}

async function placeFor({ name }: Client, root: string): Promise<Place> {
  const folder = join(root, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const driver = join(projectRoot, 'test/clients/drivers', name);
  if (existsSync(driver)) await cp(driver, folder, { recursive: true });
  return { folder, shared: root };
}

interface ClientOutcome {
  readonly kind: 'passed' | 'failed' | 'skipped';
  readonly note: string;
}

async function outcomeOf(
  client: Client,
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<ClientOutcome> {
  try {
    const place = await readyPlace(client, root);
    return { kind: 'passed', note: (await client.run(place, env)).trim() };
  } catch (error) {
    if (error instanceof Skipped) return { kind: 'skipped', note: error.message };
    return { kind: 'failed', note: error instanceof Error ? error.message : String(error) };
  }
}

await main(process.argv.slice(2));
