/** Load for a peer: as much as it answers (wrk), or a fixed rate. Each request comes from another client, so that none reaches its limit. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { percentile } from '../markdown.ts';
import { output } from '../process.ts';

export type Target = { readonly url: string; readonly apiKey: string; readonly clients: number };
export type Answers = {
  readonly requests: number;
  readonly seconds: number;
  /** Replies of 400 and above, and requests without a whole reply. */
  readonly refused: number;
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** The network for measurements, 198.18.0.0/15 (RFC 2544). */
const addresses = 2 ** 17;

/** So many that no client comes near 60 requests within a minute. */
export function clientsFor(seconds: number): number {
  return Math.min(addresses, Math.max(16_384, 2_500 * seconds));
}

/** As in wrk.lua. */
export function clientAddress(index: number): string {
  const host = index % addresses;
  return `198.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
}

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
/** One thread sends more than any peer here can answer, and leaves the cores to them. */
export const wrkShape = ['-t1', '-c64'];

/** A closed loop: every connection asks again as soon as it is answered. */
export function saturate(wrk: string, { url, apiKey, clients }: Target, seconds: number): Promise<Answers> {
  return runWrk(wrk, [...wrkShape, `-d${seconds}s`, '-s', script, url, '--', apiKey, String(clients)]);
}

const report = z.object({
  requests: z.number(),
  seconds: z.number(),
  refused: z.number(),
  broken: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});

/** @param args with a script that prints its result as wrk.lua does */
export async function runWrk(wrk: string, args: readonly string[]): Promise<Answers> {
  const text = await output(wrk, args);
  const line = text.split('\n').find((each) => each.startsWith('{'));
  if (line === undefined) throw new Error(`wrk said nothing of its result:\n${text}`);
  return report.parse(JSON.parse(line));
}

/** Well below the capacity of every peer, so that latency contains no queueing. */
export const steadyRate = 1_500;
const steadyConnections = 32;
/** How long the end waits for replies after the last request was due. */
const graceMs = 3_000;

/**
 * An open loop: requests are due at a fixed rate whatever the replies do, and latency counts from the moment at which the timer of a
 * millisecond sends what is due, so that waiting for a free connection counts too.
 */
export async function askSteadily({ url, apiKey, clients }: Target, seconds: number): Promise<Answers> {
  const { host, hostname, port, pathname } = new URL(url);
  const total = steadyRate * seconds;
  const latenciesMs: number[] = [];
  const due: number[] = [];
  const idle: Line[] = [];
  let [sent, refused, broken] = [0, 0, 0];
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();

  type Line = { readonly socket: Socket; dueMs: number; reply: string };
  async function openLine(): Promise<void> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding('latin1');
    socket.on('error', () => (broken += 1));
    await once(socket, 'connect');
    const line: Line = { socket, dueMs: 0, reply: '' };
    socket.on('data', (text) => {
      line.reply += String(text);
      if (!isComplete(line.reply)) return;
      if (line.reply.startsWith('HTTP/1.1 200')) latenciesMs.push(performance.now() - line.dueMs);
      else refused += 1;
      line.reply = '';
      idle.push(line);
      send();
      if (latenciesMs.length + refused === total) finish();
    });
    idle.push(line);
  }
  function send(): void {
    while (due.length > 0 && idle.length > 0) {
      const line = idle.shift() as Line;
      line.dueMs = due.shift() ?? 0;
      line.socket.write(
        `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n` +
          `X-Forwarded-For: ${clientAddress(sent % clients)}\r\nX-Api-Key: ${apiKey}\r\n\r\n`,
      );
      sent += 1;
    }
  }

  await Promise.all(Array.from({ length: steadyConnections }, openLine));
  const startMs = performance.now();
  let planned = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const wanted = Math.min(total, Math.floor(((nowMs - startMs) / 1_000) * steadyRate));
    for (; planned < wanted; planned += 1) due.push(nowMs);
    send();
  }, 1);
  const giveUp = setTimeout(finish, seconds * 1_000 + graceMs);
  await finished;
  clearInterval(timer);
  clearTimeout(giveUp);
  for (const { socket } of idle) socket.destroy();
  return {
    requests: latenciesMs.length,
    seconds,
    refused,
    broken: broken + total - latenciesMs.length - refused,
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
  };
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
