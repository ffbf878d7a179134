/**
 * One script counts against both limits, on Redis' own clock: the clocks of processes take no part in it. What it writes
 * to depends on the time, and so cannot be named beforehand; it is one server, as engine.ts says.
 *
 * For each account: a list with the times of its last minute, a hash with the totals of each month, and hashes with the
 * use of each hour and of each day. One sorted set holds the months whose totals changed since they were kept elsewhere.
 */
import { DAYS_KEPT_DAYS, HOURS_KEPT_DAYS } from '../../src/ports/meter.ts';

const DAY_SECONDS = 86_400;
/** What is filed by day or by month is kept until its last hour, or its last day, has been kept long enough. */
const HOURS_OF_A_DAY_SECONDS = (HOURS_KEPT_DAYS + 2) * DAY_SECONDS;
const DAYS_OF_A_MONTH_SECONDS = (DAYS_KEPT_DAYS + 32) * DAY_SECONDS;
/** Two months after it has ended nobody asks for a month any more. */
const MONTH_SECONDS = 93 * DAY_SECONDS;

const CLOCK = `
  local time = redis.call('TIME')
  local seconds = tonumber(time[1])
  local now = seconds * 1000 + math.floor(tonumber(time[2]) / 1000)
  -- The civil date of a day since 1970, by the days of 400 years (H. Hinnant, "chrono-compatible date algorithms").
  local z = math.floor(seconds / 86400) + 719468
  local era = math.floor(z / 146097)
  local doe = z - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  local month = mp < 10 and mp + 3 or mp - 9
  local year = yoe + era * 400 + (month <= 2 and 1 or 0)
  local period = string.format('%04d-%02d', year, month)
`;

/**
 * KEYS: what all keys of the account begin with, the set of unsaved months.
 * ARGV: account, requests a minute, requests a month, 1 to count or 0 to look, 1 if it costs quota, period, counted and
 * returned that the caller knows of, what the history files it by.
 * Answers with the outcome, and how the account stands.
 */
export const COUNT = `${CLOCK}
  local minute = KEYS[1] .. 'minute'
  local monthKey = KEYS[1] .. period
  local found = redis.call('HMGET', monthKey, 'counted', 'returned', 'minute', 'month')
  if not found[1] then return {'unseeded', period} end
  local counted, returned = tonumber(found[1]), tonumber(found[2])
  local byMinute, byMonth = tonumber(found[3] or '0'), tonumber(found[4] or '0')
  if ARGV[6] == period then
    local knownCounted, knownReturned = tonumber(ARGV[7]), tonumber(ARGV[8])
    if knownCounted > counted or knownReturned > returned then
      counted, returned = math.max(counted, knownCounted), math.max(returned, knownReturned)
      redis.call('HSET', monthKey, 'counted', counted, 'returned', returned)
    end
  end

  local newest = tonumber(redis.call('LINDEX', minute, -1) or '0')
  -- A clock that was set back by more than a minute, as after a change of servers, has begun anew.
  if newest > now + 60000 then
    redis.call('DEL', minute)
  elseif newest > now then
    now = newest
  end
  if newest <= now - 60000 then
    redis.call('DEL', minute)
  else
    while tonumber(redis.call('LINDEX', minute, 0) or now) <= now - 60000 do redis.call('LPOP', minute) end
  end
  local used = redis.call('LLEN', minute)

  local perMinute, costs = tonumber(ARGV[2]), ARGV[5] == '1'
  local outcome = 'read'
  if ARGV[4] == '1' then
    if costs and counted - returned >= tonumber(ARGV[3]) then
      outcome = 'month'
      byMonth = redis.call('HINCRBY', monthKey, 'month', 1)
    elseif used >= perMinute then
      outcome = 'minute'
      byMinute = redis.call('HINCRBY', monthKey, 'minute', 1)
    else
      outcome = 'counted'
      redis.call('RPUSH', minute, now)
      redis.call('PEXPIRE', minute, 60000)
      used = used + 1
      if costs then
        counted = redis.call('HINCRBY', monthKey, 'counted', 1)
        redis.call('ZADD', KEYS[2], counted + returned, ARGV[1] .. ' ' .. period)
        local hour = math.floor(seconds / 3600)
        local hours, days = KEYS[1] .. 'hours:' .. math.floor(hour / 24), KEYS[1] .. 'days:' .. period
        if redis.call('HINCRBY', hours, hour .. ' ' .. ARGV[9], 1) == 1 then redis.call('EXPIRE', hours, ${HOURS_OF_A_DAY_SECONDS}) end
        if redis.call('HINCRBY', days, math.floor(hour / 24) .. ' ' .. ARGV[9], 1) == 1 then
          redis.call('EXPIRE', days, ${DAYS_OF_A_MONTH_SECONDS})
        end
      end
    end
  end

  local leaving = redis.call('LINDEX', minute, math.max(0, used - perMinute))
  local reset = leaving and tonumber(leaving) + 60000 or now
  return {outcome, period, counted, returned, byMinute, byMonth, used, reset, now, seconds * 1000}
`;

/**
 * KEYS: what all keys of the account begin with, the set of unsaved months.
 * ARGV: account, period, hour since 1970 in which it was counted, what the history files it by.
 */
export const GIVE_BACK = `
  local monthKey = KEYS[1] .. ARGV[2]
  if redis.call('EXISTS', monthKey) == 0 then return 0 end
  local returned = redis.call('HINCRBY', monthKey, 'returned', 1)
  local counted = tonumber(redis.call('HGET', monthKey, 'counted'))
  redis.call('ZADD', KEYS[2], counted + returned, ARGV[1] .. ' ' .. ARGV[2])
  local day = math.floor(tonumber(ARGV[3]) / 24)
  local places = {{KEYS[1] .. 'hours:' .. day, ARGV[3]}, {KEYS[1] .. 'days:' .. ARGV[2], day}}
  for _, place in ipairs(places) do
    local field = place[2] .. ' ' .. ARGV[4]
    if tonumber(redis.call('HGET', place[1], field) or '0') > 0 then redis.call('HINCRBY', place[1], field, -1) end
  end
  return 1
`;

/** KEYS: the month. ARGV: counted, returned. */
export const SEED = `
  local counted = math.max(tonumber(redis.call('HGET', KEYS[1], 'counted') or '0'), tonumber(ARGV[1]))
  local returned = math.max(tonumber(redis.call('HGET', KEYS[1], 'returned') or '0'), tonumber(ARGV[2]))
  redis.call('HSET', KEYS[1], 'counted', counted, 'returned', returned)
  redis.call('EXPIRE', KEYS[1], ${MONTH_SECONDS})
  return 1
`;

/**
 * KEYS: the set of unsaved months. ARGV: what the keys of all accounts begin with, how many months at most.
 * Answers with months and their totals. Those that Redis has no more, as by eviction, are none to be saved.
 */
export const UNSAVED = `
  local months = {}
  for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[2]) - 1)) do
    local found = redis.call('HMGET', ARGV[1] .. string.gsub(name, ' ', ':'), 'counted', 'returned')
    if found[1] then
      months[#months + 1] = {name, tonumber(found[1]), tonumber(found[2])}
    else
      redis.call('ZREM', KEYS[1], name)
    end
  end
  return months
`;

/** KEYS: the set of unsaved months. ARGV: a month in it, the totals that were saved. One that grew meanwhile stays. */
export const SAVED = `
  local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if score and tonumber(score) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
  return 1
`;
