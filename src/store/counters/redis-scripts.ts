/**
 * What happens inside Redis, each as one atomic step on one key, timed by the server's clock. Every key ends
 * by itself.
 *
 * A window is a hash: `w` names it, `n` is what it has counted; it is over when the key expires. Leases of
 * one name are a sorted set of ids by the time at which each ends. Replicas are another, by the time at which
 * each was last heard of. What each replica holds is a hash, with the time until which it counts.
 */

const openWindow = `
local left = redis.call('PTTL', KEYS[1])
local id, n
if left > 0 then
  id = redis.call('HGET', KEYS[1], 'w')
  n = tonumber(redis.call('HGET', KEYS[1], 'n'))
end`;

const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** amount, limit, length of a window, a name for a new window → admitted, counted, left, window */
export const takeScript = `${openWindow}
if not n then
  id, n, left = ARGV[4], 0, tonumber(ARGV[3])
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'w', id, 'n', 0)
  redis.call('PEXPIRE', KEYS[1], left)
end
local admitted = 0
if n + ARGV[1] <= tonumber(ARGV[2]) then
  admitted = 1
  n = n + ARGV[1]
  redis.call('HSET', KEYS[1], 'n', n)
end
return {admitted, n, left, id}`;

/** → counted, left, window; or nothing */
export const readScript = `${openWindow}
if not n then return false end
return {n, left, id}`;

/** amount, window */
export const adjustScript = `
if redis.call('HGET', KEYS[1], 'w') ~= ARGV[2] then return end
local n = tonumber(redis.call('HGET', KEYS[1], 'n')) + ARGV[1]
redis.call('HSET', KEYS[1], 'n', math.max(0, n))`;

/**
 * What a replica brings when Redis was away: the amount it counted alone, the time left of its window, what it
 * had last seen counted, the window's name (or one for a new window).
 *
 * When Redis still has that window, the amount is added. When it lost it, the window is made again, with what
 * was seen: each replica saw a part of the same count, so of that the largest counts (`b`), not the sum.
 */
export const mergeScript = `${openWindow}
local b = tonumber(redis.call('HGET', KEYS[1], 'b') or '0')
if not n then
  id, n, left, b = ARGV[4], 0, 0, 0
  redis.call('DEL', KEYS[1])
elseif id == ARGV[4] and redis.call('HEXISTS', KEYS[1], 'b') == 0 then
  b = tonumber(ARGV[3])
  redis.call('HSET', KEYS[1], 'b', b)
end
n = math.max(0, n + ARGV[1] + math.max(0, ARGV[3] - b))
redis.call('HSET', KEYS[1], 'w', id, 'n', n, 'b', math.max(b, ARGV[3]))
redis.call('PEXPIRE', KEYS[1], math.max(left, tonumber(ARGV[2])))`;

/** id, limit, time to live → 1 when it was given, how many are held */
export const acquireScript = `${now}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local held = redis.call('ZCARD', KEYS[1])
if held >= tonumber(ARGV[2]) then return {0, held} end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1, held + 1}`;

/** time to live, ids … Those that Redis has lost come back: their holders are at work. */
export const renewScript = `${now}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** → how many are held */
export const heldScript = `${now}
return redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')`;

/** id of a replica, time to live, what it holds → what each of the others said it holds */
export const holdingsScript = `${now}
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[2]) .. ' ' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local all, others = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  local ends, held = string.match(all[i + 1], '^(%d+) (.*)$')
  if tonumber(ends) <= now then redis.call('HDEL', KEYS[1], all[i])
  elseif all[i] ~= ARGV[1] then others[#others + 1] = held end
end
return others`;

/** id, time after which a replica that was not heard of is gone → how many there are */
export const heartbeatScript = `${now}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])`;
