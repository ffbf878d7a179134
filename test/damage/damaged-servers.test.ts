/**
 * The real program on EventStoreDB's double and MongoDB whose data come back emptied, older, or as those of another
 * market, before a start or under a running server: it refuses with a reason, or every acknowledged spend is there and
 * no cap is passed. A few rounds by default; BOURSE_DAMAGE_ROUNDS asks for more, and BOURSE_DAMAGE_SEED for those that a
 * failure names.
 */
import { randomInt } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { buildProgram, type Program } from '../support/built-program.ts';
import { withOwnMongo } from '../support/mongodb-server.ts';
import { inMarket, prepareBuyers } from '../support/own-market.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { buy, type Customer, listen, newCustomer, TRIAL_CENTS } from './customers.ts';
import { randomFrom } from './damages.ts';
import { goesOnAfterLoss, judge, type Outcome } from './judge.ts';
import { type Part, PARTS, type Servers, startServers } from './servers.ts';
import { viewsHaveAll } from './views-have-all.ts';

const ROUNDS = Number(process.env.BOURSE_DAMAGE_ROUNDS ?? 6);
const FIRST_SEED = Number(process.env.BOURSE_DAMAGE_SEED ?? randomInt(1_000_000_000));
const DEADLINE_MS = 180_000 + ROUNDS * 60_000;
const CAPS = [12, 5];
const RUNNING_SHARE = 0.25;

withOwnMongo('Damaged servers', () => {
  describe(`A market whose servers come back otherwise in ${ROUNDS} ways from seed ${FIRST_SEED} on`, function () {
    this.timeout(DEADLINE_MS);
    let program: Program;
    let folder: TempFolder;
    let customers: readonly Customer[] = [];
    before(async () => {
      program = await buildProgram();
      folder = await tempFolder();
      customers = await makeHistory();
    });
    after(async () => {
      await folder.remove();
      await program.remove();
    });

    it('is whole where everything comes back as it was', async () => {
      const parts = { log: 'end', views: 'end', data: 'end' } as const;
      expect(await playRound({ seed: 0, isRunning: false, parts })).to.equal('whole');
    });

    it('is known as lost where an older log comes back alone', async () => {
      const parts = { log: 'earlier', views: 'end', data: 'end' } as const;
      expect(await playRound({ seed: 0, isRunning: false, parts })).to.equal('known as lost');
    });

    it('refuses with a reason, or has every acknowledged spend and keeps the caps', async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed += 1) await playRound(drawRound(seed));
    });

    async function playRound(round: Round): Promise<Outcome> {
      const own = folder.file(`round-${round.seed}`);
      cpSync(folder.file('end'), own, { recursive: true });
      const servers = await startServers(own);
      const { settings } = servers;
      try {
        if (round.isRunning) return await judge(program, settings, await exchangeRunning(servers, round));
        await exchangeAll(servers, round);
        const outcome = await judge(program, settings, customers);
        const areKnown = round.parts.views === 'end';
        if (outcome === 'known as lost') await goesOnAfterLoss(program, settings, areKnown ? customers : []);
        return outcome;
      } catch (error) {
        throw new Error(
          `${describeRound(round)}\n${error instanceof Error ? error.message : String(error)}`,
          {
            cause: error,
          },
        );
      } finally {
        await servers.stop();
        rmSync(own, { recursive: true, force: true });
      }
    }

    async function exchangeAll({ exchange }: Servers, { parts }: Round): Promise<void> {
      for (const part of PARTS) {
        const by = parts[part];
        if (by !== 'end') await exchange(part, by === 'nothing' ? null : folder.file(by));
      }
    }

    /** Under a server that goes on trading, and is killed then. What it acknowledged counts. */
    async function exchangeRunning(servers: Servers, round: Round): Promise<readonly Customer[]> {
      const life = program.start(servers.settings, { isExpectedToFail: true });
      let known = customers;
      const shop = async (url: string): Promise<void> => {
        known = (await Promise.all(known.map((customer) => buy(url, customer, 1)))).map(
          (one) => one.customer,
        );
      };
      try {
        const url = await life.url;
        await shop(url);
        await viewsHaveAll(url);
        await exchangeAll(servers, round);
        for (const customer of known) await buy(url, customer, 1);
      } finally {
        await life.kill();
      }
      return known;
    }

    /** Leaves the folders `before`, `earlier`, `end` and `another`. */
    async function makeHistory(): Promise<readonly Customer[]> {
      let made = await trade('end', []);
      cpSync(folder.file('end'), folder.file('before'), { recursive: true });
      made = await trade('end', made, 2);
      cpSync(folder.file('end'), folder.file('earlier'), { recursive: true });
      made = await trade('end', made, 2);
      await trade('another', await trade('another', []), 1);
      return made;
    }

    async function trade(name: string, known: readonly Customer[], times = 0): Promise<readonly Customer[]> {
      const servers = await startServers(folder.file(name));
      const { settings } = servers;
      try {
        if (known.length === 0) return await newMarket(servers);
        const life = program.start(settings);
        const url = await life.url;
        const bought = await Promise.all(
          known.map(async (customer) =>
            buy(url, customer.listenerId === null ? await listen(url, customer) : customer, times),
          ),
        );
        await viewsHaveAll(url);
        await life.stop();
        return bought.map(({ customer }) => customer);
      } finally {
        await servers.stop();
      }
    }

    async function newMarket({ settings }: Servers): Promise<readonly Customer[]> {
      const caps = CAPS.map((spends) => spends * TRIAL_CENTS);
      const keys = await inMarket({ ...settings }, (market) => prepareBuyers(market, caps));
      return keys.map((key, index) => newCustomer(key, CAPS[index] ?? 0));
    }
  });
});

const SOURCES = ['nothing', 'before', 'earlier', 'end', 'another'] as const;
type Source = (typeof SOURCES)[number];

interface Round {
  readonly seed: number;
  readonly isRunning: boolean;
  readonly parts: Readonly<Record<Part, Source>>;
}

function drawRound(seed: number): Round {
  const random = randomFrom(seed);
  const draw = (): Source =>
    random() < 0.4 ? 'end' : (SOURCES[Math.floor(random() * SOURCES.length)] ?? 'end');
  if (random() < RUNNING_SHARE)
    return { seed, isRunning: true, parts: { log: draw(), views: 'end', data: 'end' } };
  const [log, views, data] = [draw(), draw(), draw()];
  // Where the log and everybody who knows its end come back older together, nobody can tell what was there.
  const isKnown = log === 'end' || views === 'end' || data === 'end';
  return { seed, isRunning: false, parts: { log, views: isKnown ? views : 'end', data } };
}

function describeRound({ seed, isRunning, parts }: Round): string {
  const when = isRunning ? 'under a running server' : 'before the start';
  return `BOURSE_DAMAGE_SEED=${seed} BOURSE_DAMAGE_ROUNDS=1: ${when}: ${JSON.stringify(parts)}`;
}
