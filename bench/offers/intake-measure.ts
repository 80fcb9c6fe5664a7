/** Views per second into roll-ups, by turns within each round, so that what slows the machine down slows all. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { cpuMsOf } from '../cpu.ts';
import { percent, shown } from '../markdown.ts';
import { untilQuiet, watchForeignLoad } from '../quiet.ts';
import { createDatabase, type Stores } from '../stores.ts';
import { fillQueue } from './intake-events.ts';
import { migrations, type Stage } from './intake-peers.ts';
import { intakeTurns, OFFERS, type Turn } from './intake-turns.ts';

/** Of a turn: until V8 has compiled what is hot, and the broker's first messages are out. */
const WARM_UP = 0.25;
const SAMPLE_EVERY_MS = 20;
/** A turn that stands still this long has lost something. */
const STALLED_MS = 30_000;
/** Whoever counts twice does so right after. */
const AFTERWARDS_MS = 200;

export type IntakeSample = {
  readonly perSecond: number;
  /** Of the service's processes, for each view; 0 where they are not our own. */
  readonly cpuMicros: number;
  /** With the stores that were started here and the measuring. */
  readonly cpuMicrosInAll: number;
  readonly foreignLoad: number;
};
export type IntakeSamples = ReadonlyMap<Turn, readonly IntakeSample[]>;

export async function measureIntake(
  opened: AsyncDisposableStack,
  o: { stores: Stores; rounds: number; quick: boolean; report: (line: string) => void },
): Promise<IntakeSamples> {
  const { folder, backing } = o.stores;
  const databaseUrl = await createDatabase(opened, {
    serverUrl: backing.postgresUrl,
    name: 'intake',
    migrations,
  });
  const stage: Stage = { folder, databaseUrl, rabbitmqUrl: backing.rabbitmqUrl };
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  opened.defer(() => db.end());
  await putOffers(db);

  const samples = new Map<Turn, IntakeSample[]>(intakeTurns(o.quick).map((turn) => [turn, []]));
  for (let round = 1; round <= o.rounds; round += 1) {
    for (const [turn, taken] of samples) {
      const sample = await measure(db, stage, turn);
      taken.push(sample);
      const rate = `${shown(sample.perSecond)}/s`.padStart(9);
      o.report(`round ${round} ${turn.title.padEnd(52)} ${rate}  others ${percent(sample.foreignLoad)}`);
    }
  }
  return samples;
}

async function measure(db: pg.Client, stage: Stage, turn: Turn): Promise<IntakeSample> {
  await db.query('TRUNCATE traffic, traffic_inbox, traffic_viewers');
  if (turn.queued) await fillQueue(stage.rabbitmqUrl, turn.views, turn.traffic);
  await untilQuiet();
  const foreignLoad = watchForeignLoad();
  await using peer = await turn.start(stage, turn);
  const cpuMs = () => [peer.pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0), cpuMsOf(process.pid)];
  const begun = await untilCounted(db, turn.views * WARM_UP);
  const before = cpuMs();
  const ended = await untilCounted(db, turn.views);
  const [cpuMicros = 0, cpuMicrosInAll = 0] = cpuMs().map(
    (ms, index) => ((ms - (before[index] ?? 0)) * 1_000) / (ended.count - begun.count),
  );
  const perSecond = ((ended.count - begun.count) * 1_000) / (ended.atMs - begun.atMs);
  await pause(AFTERWARDS_MS);
  const { count } = await counted(db);
  if (count !== turn.views)
    throw new Error(`${turn.title}: ${count} of ${turn.views} views are in the roll-ups`);
  return { perSecond, cpuMicros, cpuMicrosInAll, foreignLoad: foreignLoad() };
}

type Counted = { readonly count: number; readonly atMs: number };

async function counted(db: pg.Client): Promise<Counted> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT coalesce(sum(views + views_repeated + views_automated), 0)::float8 AS count FROM traffic',
  );
  return { count: rows[0]?.count ?? 0, atMs: performance.now() };
}

async function untilCounted(db: pg.Client, count: number): Promise<Counted> {
  let last: Counted = { count: -1, atMs: performance.now() };
  for (;;) {
    const now = await counted(db);
    if (now.count >= count) return now;
    if (now.count > last.count) last = now;
    if (now.atMs - last.atMs > STALLED_MS)
      throw new Error(`${now.count} views counted, and no more for a while`);
    await pause(SAMPLE_EVERY_MS);
  }
}

async function putOffers(db: pg.Client): Promise<void> {
  await db.query("INSERT INTO categories VALUES (1, 'Food', true, NULL)");
  await db.query(
    `INSERT INTO offers (offer_id, organisation_id, mode, trading_name, country, currency, category_id, title, description,
       terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, created_at, start_at,
       expiry_at, payment_method, net_minor, shown_at)
     OVERRIDING SYSTEM VALUE
     SELECT id, 1, 'TEST', 'T', 'GB', 'GBP', 1, 'T', '', '', 'https://a.test', 'i', 0, 0, 5, '{}', '{}', now(), now(),
       now() + interval '1 year', 'B', 0, now()
     FROM generate_series(1, $1::integer) AS id`,
    [OFFERS],
  );
}
