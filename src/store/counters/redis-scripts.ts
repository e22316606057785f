/**
 * The keys in Redis, all of which expire, and scripts. Each script is atomic, and timed by the clock of Redis.
 *
 * | key                     | what it is                                                                            |
 * | ----------------------- | ------------------------------------------------------------------------------------- |
 * | sotto:window:<hash>     | a hash, a window of a limit; it is over when the key expires. Fields:                  |
 * |                         | `id`: names this window, so that a late correction does not meet the next one          |
 * |                         | `count`: what was counted in it                                                        |
 * |                         | `opened`: of quotas only: when the database was last asked for `count`                 |
 * | …:<hash>:opening        | beside a window of a quota: a replica is asking the database for its count             |
 * | sotto:lease:<hash>      | a sorted set: ids of leases by the time at which each ends                             |
 * | …:<hash>:reserved       | a hash beside a lease: by its id, what it reserved in windows of quotas                |
 * | sotto:use:<hash>        | the encapsulated key of an encrypted request was used, for as long as it could be      |
 * | sotto:replicas:<hash>   | a sorted set: ids of replicas by the time of their last heartbeat                      |
 * | sotto:reopen:<hash>     | when windows of quotas are or were to be opened again from the database: all that were |
 * |                         | opened before are unknown from then on. Set 2 s ahead by a replica that lost Redis     |
 */

/** The clock of the server, in milliseconds. */
export const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** time to live, ids … Also restores those that Redis has lost. */
export const renewScript = `${now}
local lives = tonumber(ARGV[1])
for index = 2, #ARGV do redis.call('ZADD', KEYS[1], now + lives, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], lives)`;

/** → how many are held */
export const heldScript = `${now}
return redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')`;

/**
 * id of a replica, how long a replica may be silent, how far ahead of now windows of quotas are to be opened again (0
 * for a replica that did not lose Redis), how long that is kept → how many replicas there are, when windows of quotas
 * are or were to be opened again, and how long until then, less than 0 when it is past
 */
export const heartbeatScript = `${now}
local replica, silence, ahead, kept = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
redis.call('ZADD', KEYS[1], now, replica)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - silence)
redis.call('PEXPIRE', KEYS[1], silence)
local reopenAt = tonumber(redis.call('GET', KEYS[2]) or '0')
-- Another replica may have set it just now. One further ahead was set by a Redis whose clock was ahead.
if ahead > 0 and (reopenAt <= now or reopenAt > now + ahead) then
  reopenAt = now + ahead
  redis.call('SET', KEYS[2], string.format('%.0f', reopenAt), 'PX', kept)
end
return {redis.call('ZCARD', KEYS[1]), reopenAt, reopenAt - now}`;
