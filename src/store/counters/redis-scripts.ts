/**
 * What happens inside Redis, each as one atomic step on one key, timed by the clock of the server. Every key expires by
 * itself.
 *
 * | key                     | what it is                                                                            |
 * | ----------------------- | ------------------------------------------------------------------------------------- |
 * | sotto:window:<hash>     | a hash, a window of a limit; it is over when the key expires. Fields:                  |
 * |                         | `id`: names this window, so that a late correction does not meet the next one          |
 * |                         | `count`: what was counted in it                                                        |
 * |                         | `restored`: set once a replica reported after an outage: how much of `count` stands    |
 * |                         | for what replicas had seen before it                                                   |
 * | sotto:lease:<hash>      | a sorted set: ids of leases by the time at which each ends                             |
 * | …:<hash>:reserved       | a hash beside a lease: by its id, what it reserved in windows of quotas                |
 * | sotto:replicas:<hash>   | a sorted set: ids of replicas by the time at which each was last heard from            |
 * | sotto:holdings:<hash>   | a hash: by replica, the time until which it counts and the leases it holds, as JSON    |
 */

/** The window that is open: `left` (milliseconds), and `id` and `count`, which are nil when there is none. */
const openWindow = `
local left = redis.call('PTTL', KEYS[1])
local id, count
if left > 0 then
  id = redis.call('HGET', KEYS[1], 'id')
  count = tonumber(redis.call('HGET', KEYS[1], 'count'))
end`;

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** amount, limit, length of a window, an id for a new window → admitted (1 or 0), count, left, id */
export const takeScript = `${openWindow}
local amount, limit, length, newId = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if not count then
  id, count, left = newId, 0, length
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'id', id, 'count', 0)
  redis.call('PEXPIRE', KEYS[1], left)
end
local admitted = 0
if count + amount <= limit then
  admitted = 1
  count = count + amount
  redis.call('HSET', KEYS[1], 'count', count)
end
return {admitted, count, left, id}`;

/** → count, left, id; or nothing */
export const readScript = `${openWindow}
if not count then return false end
return {count, left, id}`;

/** amount, id of the window */
export const adjustScript = `
local amount, id = tonumber(ARGV[1]), ARGV[2]
if redis.call('HGET', KEYS[1], 'id') ~= id then return end
local count = tonumber(redis.call('HGET', KEYS[1], 'count')) + amount
redis.call('HSET', KEYS[1], 'count', math.max(0, count))`;

/**
 * The report of a replica after an outage (local-shares.ts): the amount that it admitted alone, the time left of its
 * window, the largest count that it had seen before, the id of the window (or one for a new window).
 *
 * When Redis still has that window, the amount is added. When Redis lost it, the window is created again with what was
 * seen: each replica saw a part of the same count, so the largest counts (`restored`), not the sum.
 */
export const mergeScript = `${openWindow}
local amount, leftThere, seen, idThere = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local restored = tonumber(redis.call('HGET', KEYS[1], 'restored') or '0')
if not count then
  id, count, left, restored = idThere, 0, 0, 0
  redis.call('DEL', KEYS[1])
elseif id == idThere and redis.call('HEXISTS', KEYS[1], 'restored') == 0 then
  -- Redis forgot nothing: its count includes what the replica had seen.
  restored = seen
end
count = math.max(0, count + amount + math.max(0, seen - restored))
redis.call('HSET', KEYS[1], 'id', id, 'count', count, 'restored', math.max(restored, seen))
redis.call('PEXPIRE', KEYS[1], math.max(left, leftThere))`;

/** id, limit, time to live → 1 when the lease was granted, how many are held */
export const acquireScript = `${now}
local id, limit, lives = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local held = redis.call('ZCARD', KEYS[1])
if held >= limit then return {0, held} end
redis.call('ZADD', KEYS[1], now + lives, id)
redis.call('PEXPIRE', KEYS[1], lives)
return {1, held + 1}`;

/** time to live, ids … Also writes those that Redis has lost: their holders are at work. */
export const renewScript = `${now}
local lives = tonumber(ARGV[1])
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], now + lives, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], lives)`;

/** → how many are held */
export const heldScript = `${now}
return redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')`;

/** id of a replica, time to live, what it holds → what each of the others said it holds */
export const holdingsScript = `${now}
local replica, lives, holdings = ARGV[1], tonumber(ARGV[2]), ARGV[3]
redis.call('HSET', KEYS[1], replica, string.format('%.0f', now + lives) .. ' ' .. holdings)
redis.call('PEXPIRE', KEYS[1], lives)
local all, others = redis.call('HGETALL', KEYS[1]), {}
for index = 1, #all, 2 do
  local ends, held = string.match(all[index + 1], '^(%d+) (.*)$')
  if tonumber(ends) <= now then redis.call('HDEL', KEYS[1], all[index])
  elseif all[index] ~= replica then others[#others + 1] = held end
end
return others`;

/** id of a replica, how long a replica may be silent → how many there are */
export const heartbeatScript = `${now}
local replica, silence = ARGV[1], tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, replica)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - silence)
redis.call('PEXPIRE', KEYS[1], silence)
return redis.call('ZCARD', KEYS[1])`;
