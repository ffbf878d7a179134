/**
 * Names of receivers, looked up by a resolver of their own: Node's usual one has four threads for the whole process,
 * and a few slow names would hold them all. Nothing of this machine's own (hosts file, search domains) is consulted.
 */
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';

export interface Names {
  /** All addresses of the name. @throws {NameNotFound} there are none, or nobody says in time */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  /** Gives up what is under way. */
  readonly close: () => void;
}

export class NameNotFound extends Error {
  override readonly name = 'NameNotFound';
}

export interface NamesOptions {
  /** `address:port`; those of this machine if absent. */
  readonly servers?: readonly string[];
}

const TRY_TIMEOUT_MS = 1_500;
const TRIES = 2;
const MAX_NAMES = 10_000;
const [MIN_TTL_MS, MAX_TTL_MS] = [5_000, 300_000];
/** A name that nobody knows, or nobody tells in time, is not asked for again so soon. */
const FAILED_TTL_MS = 10_000;

interface Known {
  readonly addresses: readonly string[];
}

export function createNames({ servers }: NamesOptions = {}): Names {
  const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const known = new LRUCache<string, Known>({ max: MAX_NAMES, ttl: MAX_TTL_MS });
  const underWay = new Map<string, Promise<readonly string[]>>();

  async function ask(name: string): Promise<readonly string[]> {
    const ttl = { ttl: true } as const;
    const answers = await Promise.allSettled([resolver.resolve4(name, ttl), resolver.resolve6(name, ttl)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const addresses = found.map(({ address }) => address);
    const ttlMs = Math.min(MAX_TTL_MS, ...found.map(({ ttl: seconds }) => seconds * 1_000));
    const kept = addresses.length === 0 ? FAILED_TTL_MS : Math.max(MIN_TTL_MS, ttlMs);
    known.set(name, { addresses }, { ttl: kept });
    return addresses;
  }

  return {
    async addressesOf(name) {
      let asked = known.get(name)?.addresses;
      if (asked === undefined) {
        const asking = underWay.get(name) ?? ask(name).finally(() => underWay.delete(name));
        underWay.set(name, asking);
        asked = await asking;
      }
      if (asked.length === 0) throw new NameNotFound(name);
      return asked;
    },
    close: () => resolver.cancel(),
  };
}
