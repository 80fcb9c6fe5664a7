-- wrk ... URL -- KEYS_FILE CLIENTS: the request of requests.ts, with another client address and another key of the file each time.
local heads = {}
local count = 0
local at = 0
local keys = {}
local key = 0

function init(args)
  for line in io.lines(args[1]) do keys[#keys + 1] = line .. "\r\n\r\n" end
  math.randomseed(os.time())
  key = math.random(#keys)
  count = tonumber(args[2]) or 16384
  for host = 0, count - 1 do
    local address = string.format(
      "198.%d.%d.%d", 18 + math.floor(host / 65536) % 2, math.floor(host / 256) % 256, host % 256)
    heads[host] = "GET " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port ..
      "\r\nAccept: application/json\r\nX-Forwarded-For: " .. address .. "\r\nX-Api-Key: "
  end
end

function request()
  at = (at + 1) % count
  key = key % #keys + 1
  return heads[at] .. keys[key]
end

function done(summary, latency)
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
