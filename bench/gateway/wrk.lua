-- wrk ... URL -- API_KEY CLIENTS: the request of requests.ts, prepared once for each client address.
local requests = {}
local count = 0
local at = 0

function init(args)
  local key = args[1]
  count = tonumber(args[2]) or 16384
  for host = 0, count - 1 do
    local address = string.format(
      "198.%d.%d.%d", 18 + math.floor(host / 65536) % 2, math.floor(host / 256) % 256, host % 256)
    requests[host] = wrk.format("GET", nil, {
      ["Host"] = wrk.host .. ":" .. wrk.port, ["Accept"] = "application/json",
      ["X-Api-Key"] = key, ["X-Forwarded-For"] = address })
  end
end

function request()
  at = (at + 1) % count
  return requests[at]
end

function done(summary, latency)
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
