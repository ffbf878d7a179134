/** Opens the market of the configured data folder for one command, and closes it again whatever comes. */
import { randomUUID } from 'node:crypto';
import { type Market, openMarket } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog } from '../log.ts';

export interface CommandLine {
  readonly market: Market;
  readonly config: Config;
  readonly cause: { readonly at: string; readonly actor: 'cli'; readonly requestId: string };
}

export async function withMarket<Result>(work: (line: CommandLine) => Promise<Result>): Promise<Result> {
  const config = readConfig();
  // The terminal belongs to the command's own answer.
  const market = await openMarket(config, createLog('silent'));
  const cause = { at: new Date().toISOString(), actor: 'cli', requestId: `cli-${randomUUID()}` } as const;
  try {
    return await work({ market, config, cause });
  } finally {
    await market.close();
  }
}
