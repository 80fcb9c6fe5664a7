/**
 * An open loop: requests are due at a fixed rate whatever the replies do, and latency counts from when a request was
 * due, so that waiting for a free connection counts too. A process of its own: prints one line of JSON.
 *
 *   node steady-load.ts '{"url":"http://127.0.0.1:8080","keysFile":"...","clients":16384,"rate":1500,"seconds":10}'
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { rawRequest } from '../requests.ts';
import { nowUs } from './steady-clock.ts';

type Plan = { url: string; keysFile: string; clients: number; rate: number; seconds: number };

const connections = 32;
/** How long the end waits for replies after the last request was due. */
const graceMs = 3_000;

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const { host, hostname, port } = new URL(plan.url);
const keys = readFileSync(plan.keysFile, 'utf8').trimEnd().split('\n');
const firstKey = randomInt(keys.length);
const requests = Array.from({ length: plan.clients }, (_, client) =>
  rawRequest({ host, apiKey: keys[(firstKey + client) % keys.length] ?? '', client }),
);
const total = Math.round(plan.rate * plan.seconds);
const intervalUs = 1_000_000 / plan.rate;
const latenciesUs: number[] = [];
const lagsUs: number[] = [];
let refused = 0;
let broken = 0;
let sent = 0;
const { promise: finished, resolve: finish } = Promise.withResolvers<void>();

type Line = { readonly socket: Socket; dueUs: number; reply: string };
const idle: Line[] = [];
for (let index = 0; index < connections; index += 1) idle.push(await openLine());

const startUs = nowUs() + 50_000;
const pacer = new Worker(new URL('pacer.ts', import.meta.url), {
  workerData: { startUs, intervalUs, total },
});
pacer.on('message', () => sendDue('on time'));
const giveUp = setTimeout(finish, plan.seconds * 1_000 + graceMs);
await finished;
clearTimeout(giveUp);
await pacer.terminate();

process.stdout.write(
  `${JSON.stringify({
    requests: latenciesUs.length,
    refused,
    broken: broken + total - latenciesUs.length - refused,
    p50Ms: percentileMs(latenciesUs, 50),
    p99Ms: percentileMs(latenciesUs, 99),
    sentLateP50Ms: percentileMs(lagsUs, 50),
    sentLateP99Ms: percentileMs(lagsUs, 99),
  })}\n`,
);
process.exit();

async function openLine(): Promise<Line> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const line: Line = { socket, dueUs: 0, reply: '' };
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => receive(line, text));
  socket.on('error', () => (broken += 1));
  return line;
}

/** A request that waited for a connection is late because of the peer, not of the generator. */
function sendDue(why: 'on time' | 'a connection is free'): void {
  while (sent < total && startUs + sent * intervalUs <= nowUs()) {
    const line = idle.shift();
    if (line === undefined) return;
    line.dueUs = startUs + sent * intervalUs;
    line.socket.write(requests[sent % requests.length] ?? '', 'latin1');
    if (why === 'on time') lagsUs.push(nowUs() - line.dueUs);
    sent += 1;
  }
}

function receive(line: Line, text: string): void {
  line.reply += text;
  if (!isComplete(line.reply)) return;
  if (line.reply.startsWith('HTTP/1.1 200')) latenciesUs.push(nowUs() - line.dueUs);
  else refused += 1;
  line.reply = '';
  idle.push(line);
  sendDue('a connection is free');
  if (latenciesUs.length + refused === total) finish();
}

/** A connection has one request at a time, so nothing follows the end of its reply. */
function isComplete(reply: string): boolean {
  const headEnd = reply.indexOf('\r\n\r\n');
  if (headEnd === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(reply.slice(0, headEnd))?.[1];
  return length === undefined
    ? reply.endsWith('\r\n0\r\n\r\n')
    : reply.length >= headEnd + 4 + Number(length);
}

function percentileMs(valuesUs: readonly number[], percent: number): number {
  const sorted = valuesUs.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0) / 1_000;
}
