/** Placements: matching in memory with the choice, and `POST /placements` through gateway and offers in a closed loop. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { onPath } from '@offer-ads/backing/on-path';
import { isTargeted, type Target, type TargetedMember } from '@offer-ads/contracts/audience/target';
import type { MemberGender } from '@offer-ads/contracts/values/member-gender';
import { createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { addressesOf, adminSettings, type Settings } from '@offer-ads/dev/start/plans';
import { chance } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import pg from 'pg';
import { choose, lackPerHour } from '../../services/offers/src/domain/placements/choice.ts';
import { type LiveOffer, liveOffers } from '../../services/offers/src/placements/live-offers.ts';
import { cpuMsOf } from '../cpu.ts';
import { clientsFor, runWrk } from '../gateway/load.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, overRounds, percent, percentile, shown, table } from '../markdown.ts';
import { startProcess } from '../process.ts';
import { ProgramMissing } from '../run-measurement.ts';
import { planOf, startPlanned } from './system.ts';

export type PlacementsPlan = {
  readonly offers: number;
  readonly asked: number;
  readonly rounds: number;
  /** Of load in each round. */
  readonly seconds: number;
  /** It measures nothing: a machine that is busy with other work may refuse some requests. */
  readonly isQuick: boolean;
};

/** Offers spread over England and its seas, so that a member there matches about 300 of 100,000. */
const area = { south: 48, north: 55, west: -5, east: 5 };
const genders: readonly MemberGender[] = ['Male', 'Female'];
const INTERESTS = 30;
const CONNECTIONS = 16;
const WANTED = 3;
const COMPARED = 200;
const WARM_UP_ROUNDS = 3;
const now = new Date(Date.UTC(2026, 5, 1));
const script = fileURLToPath(new URL('placements.lua', import.meta.url));

export async function measurePlacements(
  opened: AsyncDisposableStack,
  plan: PlacementsPlan,
  o: { readonly settings: Settings; readonly report: (line: string) => void },
): Promise<string> {
  const wrk = onPath('wrk');
  if (wrk === undefined)
    throw new ProgramMissing('wrk is not there. On Debian and Ubuntu: apt-get install wrk');
  const targets = targetsOf(plan.offers);
  const members = membersOf(plan.asked);
  return [
    matching(targets, members, plan.rounds),
    await endpoint(opened, wrk, targets, members, plan, o),
  ].join('\n\n');
}

/** Microseconds for each member who asks, one at a time. */
function matching(targets: readonly Target[], members: readonly TargetedMember[], rounds: number): string {
  const index = liveOffers({ LIVE: 1_000_000, TEST: 0 });
  for (const [at, target] of targets.entries()) index.put(liveOffer(at + 1, target));
  const matches = (member: TargetedMember) => index.matching('LIVE', member, now);
  for (const member of members.slice(0, COMPARED))
    if (matches(member).length !== targets.filter((target) => isTargeted(target, member)).length)
      throw new Error('not the offers of the rule of targets');
  const times = Array.from({ length: rounds + 1 }, () =>
    members.map((member) => took(() => place(matches(member), member))),
  );
  const at = (share: number) =>
    overRounds(
      times.slice(1).map((round) => percentile(round, share)),
      0,
    );
  const matched = shown(median(members.map((member) => matches(member).length)));
  return `${shown(targets.length)} offers, of which a member matches ${matched} at the median. Matching and choice in memory take ${at(50)} µs at p50 and ${at(99)} at p99.`;
}

function place(offers: readonly LiveOffer[], { latitude }: TargetedMember): void {
  const shownToday = (offerId: number) => (offerId % 3 === 0 ? 1 : 0);
  choose(offers, {
    wanted: WANTED,
    shownToday,
    lackPerHour: (offer) => lackPerHour(offer, now),
    seed: latitude * 100,
  });
}

async function endpoint(
  opened: AsyncDisposableStack,
  wrk: string,
  targets: readonly Target[],
  members: readonly TargetedMember[],
  plan: PlacementsPlan,
  { settings, report }: { readonly settings: Settings; readonly report: (line: string) => void },
): Promise<string> {
  report(`Writing ${targets.length} offers ...`);
  await fillOffers(settings.stores.databases.offers, targets);
  const bodies = members.map(({ interests, ...member }) =>
    JSON.stringify({ ...member, interests: [...new Set(interests)] }),
  );
  const file = join(settings.folder, 'placements.ndjson');
  writeFileSync(file, `${bodies.join('\n')}\n`);
  const start = async (service: 'offers' | 'gateway') =>
    opened.use(await startPlanned(planOf(service, settings), settings));
  const offers = await start('offers');
  const gateway = await start('gateway');
  const wish = { name: 'bench', mode: 'LIVE', requestsPerMinute: 1_000_000, reason: 'bench' };
  const { key } = await createAdminClient(adminSettings(settings))<{ key: string }>(
    'GATEWAY',
    'POST',
    '/admin/placement-keys',
    wish,
  );
  const url = `${addressesOf(settings.ports).gateway}/placements`;
  // Until the gateway knows the key, and offers has read all of them.
  const reply = await eventually(async () => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: bodies[0] ?? '' });
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return await answer.text();
  });
  const bare = await startBareServers(opened, reply, settings);
  const peers = [
    { name: 'gateway and offers', url, pids: [gateway.pid, offers.pid] },
    { name: 'two bare servers', ...bare },
  ];
  const load = async (of: string, seconds: number) => {
    const shape = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '30s', '-s', script];
    const result = await runWrk(wrk, [...shape, of, '--', file, 'X-Api-Key', key, `${clientsFor(seconds)}`]);
    const mayBeRefused = plan.isQuick ? result.requests - 1 : 0;
    if (result.refused > mayBeRefused || result.broken > 0)
      throw new Error(`${result.refused} requests were refused, ${result.broken} were not answered`);
    return result;
  };
  // As in a service that has run for a while: V8 compiles what is called often.
  for (const { url: of } of peers) await load(of, WARM_UP_ROUNDS * plan.seconds);
  const foreign = watchForeignLoad();
  const rounds = new Map<string, Record<string, number>[]>(peers.map(({ name }) => [name, []]));
  for (let round = 1; round <= plan.rounds; round += 1)
    for (const peer of round % 2 === 1 ? peers : peers.toReversed()) {
      await load(peer.url, Math.min(3, plan.seconds));
      await waitUntilIdle();
      const before = peer.pids.map(cpuMsOf);
      const { requests, seconds, p50Ms, p99Ms } = await load(peer.url, plan.seconds);
      const [first = Number.NaN, second = Number.NaN] = peer.pids.map(
        (pid, at) => ((cpuMsOf(pid) - (before[at] ?? 0)) * 1_000) / requests,
      );
      const rate = requests / seconds;
      rounds.get(peer.name)?.push({
        'requests a second': rate,
        'p50 ms': p50Ms,
        'p99 ms': p99Ms,
        'CPU µs a request, who is called': first,
        'CPU µs a request, who answers': second,
      });
      report(`round ${round}  ${peer.name}  ${rate.toFixed(0)}/s`);
    }
  const of = (name: string, fact: string) =>
    (rounds.get(name) ?? []).map((round) => round[fact] ?? Number.NaN);
  const names = [...rounds.keys()];
  const facts = Object.keys(rounds.get(names[0] ?? '')?.[0] ?? {});
  const rows = facts.map((fact) =>
    [fact].concat(names.map((name) => overRounds(of(name, fact), fact.endsWith(' ms') ? 1 : 0))),
  );
  const [ours = 0, theirs = 0] = names.map((name) => median(of(name, 'requests a second')));
  return [
    table(['`POST /placements`', ...names], rows),
    `${(ours / theirs).toFixed(2)} of the bare servers. ${CONNECTIONS} connections; other processes took at most ${percent(foreign())} of the cores.`,
  ].join('\n\n');
}

async function startBareServers(
  opened: AsyncDisposableStack,
  reply: string,
  { folder }: Settings,
): Promise<{ readonly url: string; readonly pids: readonly number[] }> {
  const [port = 0, upstreamPort = 0] = await freePorts(2);
  const address = (its: number) => `http://127.0.0.1:${its}`;
  const start = async (name: string, its: number, env: Record<string, string>) =>
    opened.use(
      await startProcess({
        name,
        folder,
        command: process.execPath,
        args: [fileURLToPath(new URL('bare-server.ts', import.meta.url))],
        env: { PORT: String(its), ...env },
        readyUrl: address(its),
      }),
    );
  const answering = await start('bare-upstream', upstreamPort, { REPLY: reply });
  const called = await start('bare-proxy', port, { UPSTREAM_URL: address(upstreamPort) });
  return { url: `${address(port)}/placements`, pids: [called.pid, answering.pid] };
}

/** Offers that run. */
async function fillOffers(databaseUrl: string, targets: readonly Target[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      "INSERT INTO categories VALUES (1, 'Food & Drink', true, NULL) ON CONFLICT DO NOTHING",
    );
    await client.query(
      `INSERT INTO offers (organisation_id, mode, trading_name, country, currency, category_id, title, description,
         terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, payment_method, net_minor, matching_users,
         created_at, start_at, expiry_at, shown_at, paid_at, payment_applied_at, activation_announced_at)
       SELECT 1, 'LIVE', 'Corner Cafe', 'GB', 'GBP', 1, 'Two for one on Tuesdays',
         'Bring a friend: the second main course is on the house, every week until the summer.', 'Not with other offers.',
         'https://cafe.example/tuesdays', md5(n::text) || md5(n::text) || '.jpg', latitude, longitude, "radiusMiles",
         ARRAY(SELECT jsonb_array_elements_text(gender)), ARRAY(SELECT jsonb_array_elements(interests)::integer), 'B', 1000, 50,
         began, began, began + interval '30 days', began, began, began, began
       FROM ROWS FROM (jsonb_to_recordset($1) AS (latitude float8, longitude float8, "radiusMiles" integer, gender jsonb,
         interests jsonb)) WITH ORDINALITY AS o (latitude, longitude, "radiusMiles", gender, interests, n),
         (SELECT date_trunc('hour', now()) - interval '1 hour') AS a (began)`,
      [JSON.stringify(targets)],
    );
    await client.query('VACUUM ANALYZE offers');
  } finally {
    await client.end();
  }
}

function targetsOf(count: number): Target[] {
  const random = chance(20_261_123);
  return Array.from({ length: count }, () => {
    const isForAll = random.below(2) === 0;
    return {
      ...placeOf(random),
      radiusMiles: 5 + random.below(26),
      gender: random.below(3) === 0 ? [random.oneOf(genders)] : [],
      interests: isForAll ? [] : Array.from({ length: 3 }, () => 1 + random.below(INTERESTS)),
    };
  });
}

function liveOffer(offerId: number, target: Target): LiveOffer {
  const startAtMs = now.getTime();
  const common = { mode: 'LIVE', categoryId: 1, startAtMs, expiryAtMs: startAtMs + 86_400_000 } as const;
  return { offerId, target, ...common, image: 'a.png', url: '', card: '{}', lack: 0 };
}

function membersOf(count: number): TargetedMember[] {
  const random = chance(20_261_124);
  return Array.from({ length: count }, () => ({
    ...placeOf(random),
    gender: random.oneOf(genders),
    interests: Array.from({ length: 4 }, () => 1 + random.below(INTERESTS)),
  }));
}

/** In hundredths of a degree, as positions are rounded. */
function placeOf(random: ReturnType<typeof chance>) {
  const { south, north, west, east } = area;
  return {
    latitude: south + random.below((north - south) * 100) / 100,
    longitude: west + random.below((east - west) * 100) / 100,
  };
}

function took(work: () => void): number {
  const startedAt = performance.now();
  work();
  return 1_000 * (performance.now() - startedAt);
}
