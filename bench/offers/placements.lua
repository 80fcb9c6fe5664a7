-- wrk ... URL -- BODIES HEADER VALUE CLIENTS: estimates by turns, one body a line of the file, from changing client addresses.
local bodies = {}
local head, middle
local clients
local count = 0

function init(args)
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  clients = tonumber(args[4])
  head = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port ..
    "\r\nAccept: application/json\r\nContent-Type: application/json\r\n" .. args[2] .. ": " .. args[3] ..
    "\r\nX-Forwarded-For: "
  middle = "\r\nContent-Length: "
end

function request()
  count = count + 1
  local host = count % clients
  local body = bodies[count % #bodies + 1]
  return head .. string.format("198.%d.%d.%d", 18 + math.floor(host / 65536) % 2, math.floor(host / 256) % 256, host % 256) ..
    middle .. #body .. "\r\n\r\n" .. body
end

function done(summary, latency)
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
