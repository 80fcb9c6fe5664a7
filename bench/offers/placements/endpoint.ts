/**
 * `POST /placements` through gateway and offers in a closed loop; and, under the same load, how long two replicas go on showing an offer after
 * its pause was answered.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { onPath } from '@offer-ads/backing/on-path';
import type { Target, TargetedMember } from '@offer-ads/contracts/audience/target';
import type { PlacementsReply } from '@offer-ads/contracts/community/placements-api';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { placementCallerHeader } from '@offer-ads/contracts/internal/placement-caller';
import { createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import {
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planServices,
  type Settings,
} from '@offer-ads/dev/start/plans';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import pg from 'pg';
import { cpuMsOf } from '../../cpu.ts';
import { clientsFor, runWrk } from '../../gateway/load.ts';
import { waitUntilIdle, watchForeignLoad } from '../../machine-load.ts';
import { ProgramsMissing } from '../../postgis.ts';
import { startPlanned } from '../system.ts';
import { membersOf, offersOf } from './offers.ts';

export type PlacementsEndpoint = {
  readonly offers: number;
  readonly connections: number;
  readonly rounds: readonly {
    readonly perSecond: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    /** Processor time for each request. */
    readonly cpuMicros: { readonly gateway: number; readonly offers: number };
  }[];
  /** Under load, from the answer of a pause until a replica no longer shows the offer. */
  readonly shownAfterPauseMs: { readonly loaded: readonly number[]; readonly other: readonly number[] };
  readonly foreignLoad: number;
};

const CONNECTIONS = 16;
const WARM_UP_SECONDS = 3;
const PAUSES = 20;
const organisationId = 1;
function requireWrk(): string {
  const wrk = onPath('wrk');
  if (wrk === undefined)
    throw new ProgramsMissing('wrk is not there. On Debian and Ubuntu: apt-get install wrk');
  return wrk;
}

const script = fileURLToPath(new URL('requests.lua', import.meta.url));

export async function measurePlacementsEndpoint(
  opened: AsyncDisposableStack,
  o: {
    settings: Settings;
    offers: number;
    rounds: number;
    seconds: number;
    report: (line: string) => void;
  },
): Promise<PlacementsEndpoint> {
  const wrk = requireWrk();
  const { settings } = o;
  const { offers: first, gateway: url } = addressesOf(settings.ports);
  o.report(`Writing ${o.offers} offers ...`);
  const ids = await fillOffers(settings.stores.databases.offers, o.offers);
  const members = membersOf(10_000);
  const bodies = join(settings.folder, 'placements.ndjson');
  writeFileSync(bodies, `${members.map((member) => bodyOf(member)).join('\n')}\n`);

  const offers = opened.use(await startPlanned(planOf(settings, 'offers'), settings));
  const second = await startSecondReplica(opened, settings);
  const gateway = opened.use(await startPlanned(planOf(settings, 'gateway'), settings));
  const admin = createAdminClient(adminSettings(settings));
  const wish = { name: 'bench', mode: 'LIVE', requestsPerMinute: 1_000_000, reason: 'bench' };
  const { key } = await admin<{ key: string }>('GATEWAY', 'POST', '/admin/placement-keys', wish);
  // Until the gateway has read the key.
  await eventually(() => post(`${url}/placements`, ['x-api-key', key], bodyOf(members[0] as TargetedMember)));

  const load = async (seconds: number) => {
    const shape = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '30s', '-s', script];
    const clients = `${clientsFor(seconds)}`;
    const result = await runWrk(wrk, [
      ...shape,
      `${url}/placements`,
      '--',
      bodies,
      'X-Api-Key',
      key,
      clients,
    ]);
    if (result.refused + result.broken > 0)
      throw new Error(`${result.refused} requests were refused, ${result.broken} were not answered`);
    return result;
  };
  const foreign = watchForeignLoad();
  const rounds: PlacementsEndpoint['rounds'][number][] = [];
  for (let round = 1; round <= o.rounds; round += 1) {
    await load(WARM_UP_SECONDS);
    await waitUntilIdle();
    const before = [cpuMsOf(gateway.pid), cpuMsOf(offers.pid)] as const;
    const { requests, seconds, p50Ms, p99Ms } = await load(o.seconds);
    const micros = (now: number, then: number) => ((now - then) * 1_000) / requests;
    const cpuMicros = {
      gateway: micros(cpuMsOf(gateway.pid), before[0]),
      offers: micros(cpuMsOf(offers.pid), before[1]),
    };
    rounds.push({ perSecond: requests / seconds, p50Ms, p99Ms, cpuMicros });
    o.report(`round ${round}  ${(requests / seconds).toFixed(0)}/s`);
  }
  const loading = load(PAUSES);
  const shown = await pauseEach(settings, [first, second], ids.slice(-PAUSES));
  await loading;
  return {
    offers: o.offers,
    connections: CONNECTIONS,
    rounds,
    shownAfterPauseMs: shown,
    foreignLoad: foreign(),
  };
}

/** @returns by replica, how long it showed each offer after the first replica had answered the pause */
async function pauseEach(
  settings: Settings,
  replicas: readonly [string, string],
  offerIds: readonly number[],
): Promise<PlacementsEndpoint['shownAfterPauseMs']> {
  const after = { loaded: [] as number[], other: [] as number[] };
  const callers = tokensOf(settings);
  for (const [at, offerId] of offerIds.entries()) {
    const body = bodyOf({ ...loneTarget(at), gender: 'Female', interests: [] });
    const shows = async (replica: string) => {
      const reply = await post(`${replica}/placements`, [placementCallerHeader, callers.placements], body);
      return (reply as PlacementsReply).placements.some(({ offer_id }) => offer_id === offerId);
    };
    for (const replica of replicas)
      if (!(await shows(replica))) throw new Error(`offer ${offerId} is not shown before its pause`);
    await post(`${replicas[0]}/offers/${offerId}/pause`, [callerContextHeader, callers.advertiser]);
    const pausedAt = performance.now();
    const untilGone = async (replica: string) => {
      while (await shows(replica));
      return performance.now() - pausedAt;
    };
    const [loaded, other] = await Promise.all([untilGone(replicas[0]), untilGone(replicas[1])]);
    after.loaded.push(loaded);
    after.other.push(other);
  }
  return after;
}

/** Offers that run, and after them those that are paused, each alone where it is. */
async function fillOffers(databaseUrl: string, count: number): Promise<number[]> {
  const lone = Array.from({ length: PAUSES }, (_, at) => loneTarget(at));
  const targets = [...offersOf(count).map(({ target }) => target), ...lone];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      "INSERT INTO categories VALUES (1, 'Food & Drink', true, NULL) ON CONFLICT DO NOTHING",
    );
    const { rows } = await client.query<{ offer_id: number }>(
      `INSERT INTO offers (organisation_id, mode, trading_name, country, currency, category_id, title, description,
         terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, payment_method, net_minor,
         created_at, start_at, expiry_at, shown_at, paid_at, payment_applied_at, activation_announced_at)
       SELECT ${organisationId}, 'LIVE', 'Corner Cafe', 'GB', 'GBP', 1, 'Two for one on Tuesdays',
         'Bring a friend: the second main course is on the house, every week until the summer.', 'Not with other offers.',
         'https://cafe.example/tuesdays', md5(n::text) || md5(n::text) || '.jpg', latitude, longitude, "radiusMiles",
         ARRAY(SELECT jsonb_array_elements_text(gender)), ARRAY(SELECT jsonb_array_elements(interests)::integer), 'B', 1000,
         began, began, began + interval '30 days', began, began, began, began
       FROM ROWS FROM (jsonb_to_recordset($1) AS (latitude float8, longitude float8, "radiusMiles" integer, gender jsonb,
         interests jsonb)) WITH ORDINALITY AS o (latitude, longitude, "radiusMiles", gender, interests, n),
         (SELECT date_trunc('hour', now()) - interval '1 hour') AS a (began)
       ORDER BY n RETURNING offer_id`,
      [JSON.stringify(targets)],
    );
    await client.query('VACUUM ANALYZE offers');
    return rows.map(({ offer_id }) => offer_id);
  } finally {
    await client.end();
  }
}

/** In the Gulf of Guinea, far from each other. */
function loneTarget(at: number): Target {
  return { latitude: 0, longitude: at, radiusMiles: 5, gender: [], interests: [] };
}

function bodyOf({ latitude, longitude, gender, interests }: TargetedMember): string {
  return JSON.stringify({ latitude, longitude, gender, interests: [...new Set(interests)] });
}

function planOf(settings: Settings, service: 'gateway' | 'offers'): ProcessPlan {
  const plan = planServices(settings).find(({ name }) => name === service);
  if (plan === undefined) throw new Error(`no plan for ${service}`);
  return plan;
}

async function startSecondReplica(opened: AsyncDisposableStack, settings: Settings): Promise<string> {
  const { name, args, env } = planOf(settings, 'offers');
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const plan = { name: `${name}-2`, args, env: { ...env, PORT: `${port}` }, readyUrl: `${url}/readyz` };
  opened.use(await startPlanned(plan, settings));
  return url;
}

/** The gateway signs them for seconds, so those of a bench are good for an hour. */
function tokensOf({ secrets }: Settings): { readonly placements: string; readonly advertiser: string } {
  const common = { audience: 'offers', validUntil: Date.now() + 3_600_000, mode: 'LIVE' } as const;
  return {
    placements: signCallerContext(secrets.offersContext, { ...common, placementKeyId: 1 }),
    advertiser: signCallerContext(secrets.offersContext, {
      ...common,
      organisationId,
      personId: null,
      mailbox: null,
      network: null,
      keyId: 1,
      currency: 'GBP',
      country: 'GB',
      tradingName: 'Corner Cafe',
      quota: { perPerson: 100, perOrganisation: 500 },
      termsAccepted: true,
      organisationApproved: true,
    }),
  };
}

async function post(url: string, [header, value]: readonly [string, string], body = ''): Promise<unknown> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { [header]: value, ...(body !== '' && { 'content-type': 'application/json' }) },
    ...(body !== '' && { body }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text}`);
  return JSON.parse(text);
}
