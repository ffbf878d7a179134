/** `bourse seed`: fill an empty market with a small believable one. */
import { Command } from 'commander';
import { withMarket } from './with-market.ts';

export function seedCommand(): Command {
  return new Command('seed')
    .description('fill an empty market with demonstration data; changes nothing in one that is not empty')
    .action(() =>
      withMarket(async ({ market }) => {
        const lines = await market.seed();
        for (const line of lines) console.log(line);
        if (lines.length === 0) console.log('The market is not empty: nothing was added.');
      }),
    );
}
