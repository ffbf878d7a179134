/**
 * The DeliveryLog port in Redis. Each method is one script, so that nobody sees half of it. A delivery is a hash; sorted
 * sets of `time id` list those of an endpoint, and all of them by age.
 */
import type { Delivery, DeliveryLog, NewDelivery } from '../../src/ports/delivery-log.ts';
import { QueueUnavailable } from '../../src/ports/queue.ts';
import type { RedisLink } from './link.ts';

const BEGIN = `
  local delivery, list, ages = KEYS[1], KEYS[2], KEYS[3]
  if redis.call('EXISTS', delivery) == 1 then return end
  redis.call('HSET', delivery, 'made', ARGV[1], 'outcome', ARGV[2], 'attempts', 0, 'list', list)
  redis.call('ZADD', list, 0, ARGV[3])
  redis.call('ZADD', ages, 0, ARGV[3])
`;

const RECORD = `
  local delivery, failing = KEYS[1], KEYS[2]
  local outcome, endpoint, at, state, isTried = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'
  local before = redis.call('HGET', delivery, 'outcome')
  if before and not isTried then
    local untried = cjson.decode(outcome)
    untried.lastAttemptAt = cjson.decode(before).lastAttemptAt
    redis.call('HSET', delivery, 'outcome', cjson.encode(untried))
  elseif before then
    redis.call('HSET', delivery, 'outcome', outcome)
    redis.call('HINCRBY', delivery, 'attempts', 1)
  end
  if not isTried then return false end
  if state == 'delivered' then
    redis.call('HDEL', failing, endpoint)
    return false
  end
  redis.call('HSETNX', failing, endpoint, at)
  return redis.call('HGET', failing, endpoint)
`;

const LIST = `
  local places = redis.call('ZREVRANGEBYLEX', KEYS[1], ARGV[2], '-', 'LIMIT', 0, ARGV[3])
  local found = {}
  for _, place in ipairs(places) do
    local id = string.match(place, ' (.*)$')
    table.insert(found, redis.call('HMGET', ARGV[1] .. id, 'made', 'outcome', 'attempts'))
  end
  return found
`;

const PRUNE = `
  local places = redis.call('ZRANGEBYLEX', KEYS[1], '-', ARGV[2], 'LIMIT', 0, ARGV[3])
  for _, place in ipairs(places) do
    local delivery = ARGV[1] .. string.match(place, ' (.*)$')
    local list = redis.call('HGET', delivery, 'list')
    if list then redis.call('ZREM', list, place) end
    redis.call('DEL', delivery)
    redis.call('ZREM', KEYS[1], place)
  end
  return #places
`;

/** Redis does nothing else while a script runs. */
const PRUNE_AT_ONCE = 500;
const PRUNE_ROUNDS = 10;

type Outcome = Pick<Delivery, 'state' | 'lastAttemptAt' | 'lastStatus' | 'lastError' | 'nextAttemptAt'>;
/** The fields `made`, `outcome` and `attempts` of a delivery; null where there is none. */
type Fields = readonly (string | null)[];

export function redisDeliveryLog(link: RedisLink, prefix: string): DeliveryLog {
  const deliveries = `${prefix}delivery:`;
  const ages = `${prefix}deliveries-by-age`;
  const failing = `${prefix}failing-endpoints`;
  const listOf = (accountId: string, endpointId: string): string =>
    `${prefix}deliveries:${accountId}:${endpointId}`;
  const run = (
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> =>
    link.ask(QueueUnavailable, (client) => client.eval(script, keys.length, ...keys, ...args));

  return {
    async begin(fresh) {
      await Promise.all(
        fresh.map((made) => {
          const outcome: Outcome = {
            state: 'pending',
            lastAttemptAt: null,
            lastStatus: null,
            lastError: null,
            nextAttemptAt: made.createdAt,
          };
          const keys = [deliveries + made.id, listOf(made.accountId, made.endpointId), ages];
          return run(BEGIN, keys, [JSON.stringify(made), JSON.stringify(outcome), placeOf(made)]);
        }),
      );
    },
    async record({ deliveryId, endpointId, at, isTried, status, error, state, nextAttemptAt }) {
      const outcome: Outcome = {
        state,
        lastAttemptAt: at,
        lastStatus: status,
        lastError: error,
        nextAttemptAt,
      };
      const args = [JSON.stringify(outcome), endpointId, at, state, isTried ? '1' : '0'];
      const since = await run(RECORD, [deliveries + deliveryId, failing], args);
      return typeof since === 'string' ? since : null;
    },
    async get(id) {
      const fields = await link.ask(QueueUnavailable, (client) =>
        client.hmget(deliveries + id, 'made', 'outcome', 'attempts'),
      );
      return deliveryOf(fields);
    },
    async list({ accountId, endpointId, limit, after }) {
      const from = after === undefined ? '+' : `(${placeOf(after)}`;
      const found = await run(LIST, [listOf(accountId, endpointId)], [deliveries, from, limit]);
      // The script answers with the fields of each.
      return (found as readonly Fields[]).flatMap((fields) => deliveryOf(fields) ?? []);
    },
    count: ({ accountId, endpointId }) =>
      link.ask(QueueUnavailable, (client) => client.zcard(listOf(accountId, endpointId))),
    async prune(before) {
      for (let round = 0; round < PRUNE_ROUNDS; round += 1) {
        const pruned = await run(PRUNE, [ages], [deliveries, `(${before}`, PRUNE_AT_ONCE]);
        if (pruned !== PRUNE_AT_ONCE) return;
      }
    },
  };
}

function placeOf({ createdAt, id }: Pick<NewDelivery, 'createdAt' | 'id'>): string {
  return `${createdAt} ${id}`;
}

function deliveryOf([made, outcome, attempts]: Fields): Delivery | null {
  if (typeof made !== 'string' || typeof outcome !== 'string') return null;
  // `begin` and `record` wrote them.
  return {
    ...(JSON.parse(made) as NewDelivery),
    ...(JSON.parse(outcome) as Outcome),
    attempts: Number(attempts),
  };
}
