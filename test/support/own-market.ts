/** The market of a test's settings, opened in the test's own process: to prepare it, and to see what became of it. */
import { type Market, openMarket } from '../../src/composition/app.ts';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/logging/log.ts';
import { type CreatedKey, createKey } from '../../src/operations/keys/create-key.ts';
import type { Settings } from './served-market.ts';
import { publishExamples } from './memory-market.ts';
import { terms } from './sample-mandate.ts';

/** Opens and starts it, and closes it whatever comes. */
export async function inMarket<Result>(
  settings: Settings,
  work: (market: Market) => Promise<Result>,
): Promise<Result> {
  const market = await openMarket(readConfig(settings), createLog('warn'));
  try {
    await market.start();
    return await work(market);
  } finally {
    await market.close();
  }
}

/** A listed agent, and for each monthly cap the key of a buyer; all of it is in the views when this resolves. */
export async function prepareBuyers(
  { services }: Market,
  capsCents: readonly number[],
): Promise<readonly CreatedKey[]> {
  await publishExamples(services);
  const keys: CreatedKey[] = [];
  for (const [index, maxMonthlyCents] of capsCents.entries()) {
    const outcome = await createKey(
      services,
      {
        account: `buyer-${index}`,
        name: 'Buyer',
        scopes: ['trials:create', 'jobs:read', 'jobs:cancel', 'webhooks:manage'],
        agency: null,
        terms: terms({ maxMonthlyCents }),
      },
      { at: new Date().toISOString(), actor: 'cli', requestId: 'prepare' },
    );
    if (!outcome.ok) throw new Error(outcome.refusal.message);
    keys.push(outcome.created);
  }
  await services.projector.caughtUp();
  return keys;
}
