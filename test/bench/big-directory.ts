/** A directory of many agents: the seeded market, and copies of its words under new names, published as any file is. */
import { publicationSchema } from '../../src/publishing/publication.ts';
import { publishWithoutDryRun } from '../../src/publishing/publish.ts';
import type { BenchRun } from './bench.ts';
import { inMarket, keptFolder } from './market.ts';

const CATEGORIES = ['finance', 'legal', 'support', 'research', 'engineering', 'data', 'health', 'logistics'];
const WORDS = [
  'invoice',
  'contract',
  'ticket',
  'paper',
  'patch',
  'table',
  'letter',
  'parcel',
  'meter',
  'claim',
];
const AT_ONCE = 500;

/** The folder of a market with so many agents, kept for the next run. Every tenth has `invoice` in it, one `quagga`. */
export function bigDirectory(run: BenchRun, agents: number): Promise<string> {
  return keptFolder(run, `directory-${agents}`, async (dataDir) => {
    await inMarket(dataDir, async (market) => {
      await market.seed();
      const { commands } = market.services;
      for (let first = 0; first < agents; first += AT_ONCE) {
        const count = Math.min(AT_ONCE, agents - first);
        const publication = publicationSchema.parse({
          agents: Array.from({ length: count }, (_, at) => agent(first + at)),
        });
        const at = new Date().toISOString();
        const call = {
          at,
          actor: 'cli',
          requestId: 'bench',
          commandId: `bench:${first}`,
          remembersFrom: 0,
        } as const;
        const outcome = await publishWithoutDryRun(commands, { publication, bundleFiles: new Map(), call });
        if (!outcome.ok) throw new Error(outcome.faults[0]?.message);
      }
      await market.catchUp();
    });
  });
}

function agent(number: number): object {
  const word = WORDS[number % WORDS.length] ?? '';
  const category = CATEGORIES[number % CATEGORIES.length] ?? '';
  return {
    slug: `bench-${number}`,
    name: `Bench ${word} agent ${number}`,
    agency: 'ledgerworks',
    tagline: `Reads every ${word} and says what is in it${number === 0 ? ', of a quagga' : ''}.`,
    description: `Takes a ${word}, reads it, and explains what it did with the line it rests on.`,
    categories: [category],
    capabilities: [`${word}-reading`],
    integrations: ['sepa'],
    autonomyLevel: 1 + (number % 5),
    pricing: {
      model: 'per_task',
      amountCents: 100 + (number % 97) * 10,
      trialPriceCents: 100 + (number % 13) * 100,
      currency: 'usd',
    },
  };
}
