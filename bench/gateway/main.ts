/** `npm run bench:gateway`: our gateway and its peers before one upstream, in turns. See bench/README.md. */
import { freePorts } from '@offer-ads/backing/free-port';
import { onPath } from '@offer-ads/backing/on-path';
import { readOptions } from '../command-line.ts';
import { cpuMsOf } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import { output } from '../process.ts';
import { circumstances, ProgramMissing, publish, runMeasurement, say } from '../run-measurement.ts';
import { createDatabase, openFolder, startPostgres, startValkey } from '../stores.ts';
import { createApiKey, gatewaySettings, migrations } from './gateway.ts';
import { askSteadily, clientsFor, saturate, steadyRate, type Target } from './load.ts';
import { type Peer, type PeerName, peerNames, requestPath, startPeer, startUpstream } from './peers.ts';

type Sample = {
  readonly requestsPerSecond: number;
  /** Of the peer's own processes, without the stores, the upstream and the generator. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly steadyP50Ms: number;
  readonly steadyP99Ms: number;
  /** The share of all cores that foreign processes used meanwhile, 0 to 1. */
  readonly foreignLoad: number;
};

const usage = `npm run bench:gateway -- [--rounds 3] [--seconds 8] [--quick] [--peers ${peerNames.join(',')}] [--write]
  --quick   one round of a second: shows that everything works, measures nothing
  --write   puts the tables into bench/README.md`;

class CannotMeasure extends Error {}

/** Addresses at the end of the network, which no run uses, so that their limits are not used up. */
const firstProbe = 131_000;

/** A peer that does less work than it should must not count as fast. */
async function checkPeer(
  peer: Peer,
  o: { readonly apiKey: string; readonly at: number; readonly upstreamUrl: string },
): Promise<void> {
  const ask = async (client: number, apiKey = o.apiKey) => {
    const headers = { 'x-api-key': apiKey, 'x-forwarded-for': `198.19.255.${(client - firstProbe) % 256}` };
    const reply = await fetch(peer.url, { headers });
    return { status: reply.status, text: await reply.text() };
  };
  const fail = (problem: string) => {
    throw new CannotMeasure(`${peer.name} ${problem}; there is nothing to compare`);
  };
  const wanted = await (await fetch(o.upstreamUrl)).text();
  const client = firstProbe + 3 * o.at;
  const { status, text } = await ask(client);
  if (status !== 200 || text !== wanted) fail(`answers ${status}: ${text}`);
  const stranger = await ask(client + 1, `${o.apiKey.slice(0, -1)}?`);
  if (stranger.status !== 401) fail(`answers ${stranger.status} to a key that nobody has`);
  let passed = 0;
  const beganMs = performance.now();
  for (let count = 0; count < 70; count += 1) if ((await ask(client + 2)).status === 200) passed += 1;
  // nginx lets one more pass each second, because requests leak out of its bucket.
  const most = 61 + Math.ceil((performance.now() - beganMs) / 1_000);
  if (passed < 60 || passed > most) fail(`let ${passed} of 70 requests of one client pass`);
}

/** At saturation, then at the fixed rate. */
async function measure(
  peer: Peer,
  o: { wrk: string; target: Target; warmUp: number; seconds: number; quick: boolean },
): Promise<Sample> {
  const lostBefore = await lostCalls(peer);
  if (o.warmUp > 0) await saturate(o.wrk, o.target, o.warmUp);
  await waitUntilIdle();
  const foreign = watchForeignLoad();
  const cpuBefore = cpuMsOf(peer.pid);
  const saturated = await saturate(o.wrk, o.target, o.seconds);
  const cpuMs = cpuMsOf(peer.pid) - cpuBefore;
  const foreignLoad = foreign();
  await waitUntilIdle();
  const steady = await askSteadily(o.target, o.seconds);
  const lost = (await lostCalls(peer)) - lostBefore;
  const refused = saturated.refused + steady.refused;
  if (!o.quick && refused + lost > 0)
    throw new CannotMeasure(`${peer.name}: ${refused} requests refused, ${lost} calls missing in the log`);
  const broken = saturated.broken + steady.broken;
  if (broken > 0) say(`${peer.name}: ${broken} requests slower than 2 s, or without a reply`);
  return {
    requestsPerSecond: saturated.requests / saturated.seconds,
    cpuMicros: (cpuMs * 1_000) / saturated.requests,
    p50Ms: saturated.p50Ms,
    p99Ms: saturated.p99Ms,
    steadyP50Ms: steady.p50Ms,
    steadyP99Ms: steady.p99Ms,
    foreignLoad,
  };
}

async function lostCalls({ name, adminUrl }: Peer): Promise<number> {
  if (!name.startsWith('gateway')) return 0;
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^call_log_lost_total\S* (\d+)/m.exec(text)?.[1]);
}

const titles: Record<PeerName, string> = {
  gateway: 'our gateway',
  'gateway-valkey': 'our gateway, limit counted in Valkey',
  fastify: 'fastify stack',
  nginx: 'nginx',
  haproxy: 'HAProxy',
};
const columns: readonly (readonly [title: string, of: keyof Sample, digits: number])[] = [
  ['requests/s', 'requestsPerSecond', 0],
  ['CPU µs/request', 'cpuMicros', 1],
  ['p50 ms, saturated', 'p50Ms', 2],
  ['p99 ms, saturated', 'p99Ms', 2],
  [`p50 ms, ${shown(steadyRate)}/s`, 'steadyP50Ms', 3],
  [`p99 ms, ${shown(steadyRate)}/s`, 'steadyP99Ms', 3],
];

function reportOf(
  samples: ReadonlyMap<PeerName, readonly Sample[]>,
  o: { rounds: number; seconds: number; clients: number; versions: string },
): string {
  const all = [...samples.values()].flat();
  const of = (name: PeerName, what: keyof Sample) =>
    median((samples.get(name) ?? []).map((one) => one[what]));
  const rows = [...samples].map(([name, own]) => {
    const cell = (what: keyof Sample, digits: number) =>
      overRounds(
        own.map((one) => one[what]),
        digits,
      );
    return [titles[name]].concat(columns.map(([, what, digits]) => cell(what, digits)));
  });
  const ours = [...samples.keys()].filter((name) => name.startsWith('gateway'));
  const aims = [
    ['processor time at most that of the fastify stack (better: 0.7 of it)'].concat(
      ours.map((name) => `${(of(name, 'cpuMicros') / of('fastify', 'cpuMicros')).toFixed(2)} ×`),
    ),
    [`p50 at ${shown(steadyRate)}/s at most 0.5 ms above nginx`].concat(
      ours.map((name) => `${(of(name, 'steadyP50Ms') - of('nginx', 'steadyP50Ms')).toFixed(3)} ms`),
    ),
  ];
  return [
    `${circumstances()} ${o.versions}. ${o.rounds} rounds, each ${o.seconds} s of wrk with 64 connections and ${o.seconds} s of ` +
      `${shown(steadyRate)} requests a second, from ${shown(o.clients)} clients. Other processes took at most ` +
      `${percent(Math.max(...all.map(({ foreignLoad }) => foreignLoad)))} of the cores. Medians over rounds, in brackets the least and the most.`,
    table(['', ...columns.map(([title]) => title)], rows),
    ...(samples.has('fastify') && samples.has('nginx')
      ? [table(['aim', ...ours.map((name) => titles[name])], aims)]
      : []),
  ].join('\n\n');
}

await runMeasurement({
  usage,
  readOptions: (args) => readOptions(args, { rounds: 3, seconds: [8, 1], choice: ['peers', peerNames] }),
  forPeople: [CannotMeasure],
  run: async (opened, { rounds, seconds, quick, write, chosen }) => {
    const [wrk, nginx] = ['wrk', 'nginx'].map(onPath);
    if (wrk === undefined || nginx === undefined)
      throw new ProgramMissing(
        'This needs wrk and nginx: apt-get install wrk nginx, and stop the nginx that it starts.',
      );
    const folder = await openFolder(opened);
    const [upstreamPort = 0] = await freePorts(1);
    const [serverUrl, valkeyUrl, upstream] = await Promise.all([
      startPostgres(opened, folder),
      chosen.includes('gateway-valkey') ? startValkey(opened, folder) : undefined,
      startUpstream({ folder, port: upstreamPort }),
    ]);
    opened.use(upstream);
    const databaseUrl = await createDatabase(opened, { serverUrl, name: 'gateway', migrations });
    const settings = gatewaySettings({ databaseUrl, upstreamPort });
    const apiKey = await createApiKey({ folder, settings });
    const stage = { folder, upstreamPort, settings, valkeyUrl, apiKey };
    const ports = await freePorts(2 * chosen.length);
    const started = await Promise.all(
      chosen.map((name, at) =>
        startPeer(opened, name, { port: ports[2 * at] ?? 0, adminPort: ports[2 * at + 1] ?? 0 }, stage),
      ),
    );
    const peers = started.filter((peer) => peer !== undefined);
    if (peers.length < chosen.length)
      say(`Only ${peers.map(({ name }) => name).join(', ')}: the other programs are not installed`);
    for (const [at, peer] of peers.entries())
      await checkPeer(peer, { apiKey, at, upstreamUrl: `http://127.0.0.1:${upstreamPort}${requestPath}` });
    say('All peers answer the same, refuse an unknown key, and refuse the 61st request of a client.');

    const warmUp = quick ? 0 : 4;
    const clients = clientsFor(warmUp + seconds);
    const samples = new Map<PeerName, Sample[]>(peers.map(({ name }) => [name, []]));
    for (let round = 1; round <= rounds; round += 1) {
      for (const peer of round % 2 === 1 ? peers : peers.toReversed()) {
        const sample = await measure(peer, {
          wrk,
          target: { url: peer.url, apiKey, clients },
          warmUp,
          seconds,
          quick,
        });
        samples.get(peer.name)?.push(sample);
        say(
          `round ${round} ${peer.name.padEnd(14)} ${shown(sample.requestsPerSecond).padStart(7)}/s ` +
            `${sample.cpuMicros.toFixed(1).padStart(6)} µs  at ${steadyRate}/s p50 ${sample.steadyP50Ms.toFixed(3)} ms  ` +
            `others ${percent(sample.foreignLoad)}`,
        );
      }
    }
    const versions = /nginx\/[\d.]+/.exec(await output(nginx, ['-v']))?.[0] ?? '';
    publish('gateway', reportOf(samples, { rounds, seconds, clients, versions }), write);
  },
});
