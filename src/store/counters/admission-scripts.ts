/** The scripts that admit and settle a request atomically. For their keys see redis-scripts.ts. */
import { now } from "./redis-scripts.js";

/** Whether a window of a quota, by its fields `id`, `count` and `opened`, must be opened from the database. */
const isUnknown = `
local function isUnknown(fields, reopenAt)
  return not fields[1] or (reopenAt <= now and tonumber(fields[3] or '0') < reopenAt)
end`;

/**
 * KEYS: windows to take first, windows to take after the leases, windows to read, then the leases. ARGV: an id for
 * the lease and for windows that open, the lease's time to live, when windows of quotas are or were to be opened
 * again, the number of windows of each kind, then for each window its amount, limit, length, and 1 if it is of a
 * quota, and must be known; then the limit of each lease.
 *
 * → 0, or the number of the key that refused; after it for each window: count, left, id (empty where none is open);
 * for each lease how many are held, or −1 where it was not reached. Or −1, and the numbers of windows that are not
 * known: nothing was counted then.
 *
 * What is reserved in windows that must be known, those of quotas, is kept beside the last lease until it is settled:
 * `<lease>:reserved`, a hash by the lease's id. When the lease expires, since its holder was killed, it is given
 * back: a quota's window is too long to wait for its end.
 */
export const admitScript = `${now}${isUnknown}
local newId, lives, reopenAt = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local first, later, reads = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local count = first + later + reads

local function giveBack(key, id)
  for window, windowId, amount in string.gmatch(redis.call('HGET', key, id) or '', '(%S+) (%S+) (%S+)') do
    local fields = redis.call('HMGET', window, 'id', 'count')
    if fields[1] == windowId then
      redis.call('HSET', window, 'count', math.max(0, tonumber(fields[2]) - tonumber(amount)))
    end
  end
  redis.call('HDEL', key, id)
end
for i = count + 1, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
  local key = KEYS[i] .. ':reserved'
  if redis.call('HLEN', key) > redis.call('ZCARD', KEYS[i]) then
    for _, id in ipairs(redis.call('HKEYS', key)) do
      if not redis.call('ZSCORE', KEYS[i], id) then giveBack(key, id) end
    end
  end
end

local windows, unknown = {}, {-1}
for i = 1, count do
  local at = 6 + (i - 1) * 4
  local window = {
    amount = tonumber(ARGV[at + 1]), limit = tonumber(ARGV[at + 2]), left = redis.call('PTTL', KEYS[i]),
    isQuota = ARGV[at + 4] == '1',
  }
  local fields = redis.call('HMGET', KEYS[i], 'id', 'count', 'opened')
  if window.left > 0 then
    window.id, window.count = fields[1], tonumber(fields[2])
  else
    window.id, window.count, window.left = '', 0, tonumber(ARGV[at + 3])
  end
  if window.isQuota and isUnknown(fields, reopenAt) then unknown[#unknown + 1] = i end
  windows[i] = window
end
if #unknown > 1 then return unknown end

local function take(from, to)
  for i = from, to do
    local window = windows[i]
    -- An amount of nothing asks whether anything is left.
    if window.count + math.max(window.amount, 1) > window.limit then return i end
  end
  for i = from, to do
    local window = windows[i]
    if window.amount > 0 then
      window.count = window.count + window.amount
      if window.id == '' then
        window.id = newId
        redis.call('DEL', KEYS[i])
        redis.call('HSET', KEYS[i], 'id', newId, 'count', window.count)
        redis.call('PEXPIRE', KEYS[i], window.left)
      else
        redis.call('HSET', KEYS[i], 'count', window.count)
      end
    end
  end
  return 0
end

local refused, held = take(1, first), {}
for i = count + 1, #KEYS do
  held[i] = -1
  if refused == 0 then
    held[i] = redis.call('ZCARD', KEYS[i])
    if held[i] >= tonumber(ARGV[6 + count * 4 + i - count]) then refused = i end
  end
end
if refused == 0 then refused = take(first + 1, first + later) end
if refused == 0 then
  for i = count + 1, #KEYS do
    redis.call('ZADD', KEYS[i], now + lives, newId)
    redis.call('PEXPIRE', KEYS[i], lives)
    held[i] = held[i] + 1
  end
  local reserved, left = {}, 0
  for i = first + 1, first + later do
    local window = windows[i]
    if window.isQuota and window.amount > 0 then
      reserved[#reserved + 1] = KEYS[i] .. ' ' .. window.id .. ' ' .. string.format('%.0f', window.amount)
      left = math.max(left, window.left)
    end
  end
  if #reserved > 0 and #KEYS > count then
    local key = KEYS[#KEYS] .. ':reserved'
    redis.call('HSET', key, newId, table.concat(reserved, ' '))
    redis.call('PEXPIRE', key, math.max(left, redis.call('PTTL', key)))
  end
end

local answer = {refused}
for i = 1, count do
  answer[#answer + 1] = windows[i].count
  answer[#answer + 1] = windows[i].left
  answer[#answer + 1] = windows[i].id
end
for i = count + 1, #KEYS do answer[#answer + 1] = held[i] end
return answer`;

/**
 * KEYS: windows, then leases. ARGV: the number of windows; when windows of quotas are or were to be opened again; for
 * each window its id, what to add to it, and for quotas what to add if what was reserved is not counted there any
 * more; the id of each lease; 1 if it was reserved beside the last lease.
 *
 * → 1 if a window of a quota that is not known is being opened, otherwise 0; and the numbers of all that are not
 * known: nothing was added to those.
 */
export const settleScript = `${now}${isUnknown}
local count, reopenAt, isReserved, unknown = tonumber(ARGV[1]), tonumber(ARGV[2]), true, {0}
if ARGV[#ARGV] == '1' then
  isReserved = redis.call('HDEL', KEYS[#KEYS] .. ':reserved', ARGV[#ARGV - 1]) == 1
end
for i = 1, count do
  local at = 3 + (i - 1) * 3
  local fields, otherwise = redis.call('HMGET', KEYS[i], 'id', 'count', 'opened'), ARGV[at + 2]
  if otherwise ~= '' and isUnknown(fields, reopenAt) then
    unknown[#unknown + 1] = i
    if redis.call('EXISTS', KEYS[i] .. ':opening') == 1 then unknown[1] = 1 end
  elseif fields[1] then
    local isCounted = fields[1] == ARGV[at] and (isReserved or otherwise == '')
    local amount = tonumber(isCounted and ARGV[at + 1] or otherwise) or 0
    if amount ~= 0 then redis.call('HSET', KEYS[i], 'count', math.max(0, tonumber(fields[2]) + amount)) end
  end
end
for i = count + 1, #KEYS do redis.call('ZREM', KEYS[i], ARGV[2 + count * 3 + i - count]) end
return unknown`;

/** count, length, id, when windows of quotas are or were to be opened again: opens one that is not known. */
export const openScript = `${now}${isUnknown}
redis.call('DEL', KEYS[1] .. ':opening')
if not isUnknown(redis.call('HMGET', KEYS[1], 'id', 'count', 'opened'), tonumber(ARGV[4])) then return end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'id', ARGV[3], 'count', ARGV[1], 'opened', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
