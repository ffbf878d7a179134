/** Opens the market of the configured data folder for one command, and closes it again whatever comes. */
import { type Market, openMarket } from '../composition/app.ts';
import { type Config, readConfig } from '../settings/config.ts';
import { createLog } from '../logging/log.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { type CliCall, newCall } from './new-call.ts';
import { assertMarket } from './assert-market.ts';
import { EXIT } from './exit.ts';
import { aborted } from '../timing/aborted.ts';

export interface CommandLine {
  readonly market: Market;
  readonly config: Config;
  readonly call: CliCall;
}

/** What a command asks of the market before it begins; by itself, that there is one whose views can be read. */
export interface Wants {
  /** It is made where there is none. */
  readonly isMade?: true;
  /** It is taken as it is: views that were never built are not waited for. */
  readonly isTakenAsItIs?: true;
}

/** The action of a command that works on the market; what was typed follows. */
export function onMarket<Typed extends unknown[]>(
  work: (line: CommandLine, ...typed: Typed) => Promise<void>,
  wants: Wants = {},
): (...typed: Typed) => Promise<void> {
  return (...typed) => withMarket((line) => work(line, ...typed), wants);
}

/** @throws {StoreUnavailable} there is no market, and none is to be made */
export async function withMarket<Result>(
  work: (line: CommandLine) => Promise<Result>,
  { isMade, isTakenAsItIs }: Wants = {},
): Promise<Result> {
  const config = readConfig();
  if (!isMade) assertMarket(config);
  // The terminal belongs to the command's own answer.
  const market = await openMarket(config, createLog('silent'));
  const call = newCall();
  try {
    if (!isTakenAsItIs) await buildViews(market);
    return await work({ market, config, call });
  } finally {
    await market.close();
  }
}

/** Of a log whose views were never built, or were removed, nothing could be looked up. */
async function buildViews({ services: { projector }, catchUp }: Market): Promise<void> {
  await projector.open();
  const { views } = await projector.status();
  if (views.some(({ isServed }) => !isServed)) await catchUp();
}

/**
 * Says what was done once every process sees it. Where that does not come to be, or is not waited for (Ctrl-C), it is
 * said all the same, before the failure: it is done, and a secret is shown this once.
 */
export async function sayOnceSeen(market: Market, say: () => void): Promise<void> {
  const stop = listenForStop();
  try {
    await Promise.race([market.catchUp(), aborted(stop.signal)]);
  } finally {
    stop.release();
    say();
  }
  if (stop.signal.aborted) process.exitCode = EXIT.interrupted;
}
