-- wrk ... URL -- API_KEY CLIENTS: the request of load.ts, with another client address each time.
local requests = {}
local count = 0
local at = 0

function init(args)
  count = tonumber(args[2]) or 16384
  for host = 0, count - 1 do
    local address = string.format(
      "198.%d.%d.%d", 18 + math.floor(host / 65536) % 2, math.floor(host / 256) % 256, host % 256)
    requests[host] = "GET " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port ..
      "\r\nAccept: application/json\r\nX-Forwarded-For: " .. address .. "\r\nX-Api-Key: " .. args[1] .. "\r\n\r\n"
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
