/** Views per second into roll-ups. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { measureByTurns, measureProgress, type Sample } from '../../progress.ts';
import { createDatabase, type Stores } from '../../stores.ts';
import { fillQueue } from './events.ts';
import { migrations, type Stage, startReplicas } from './replicas.ts';
import { intakeTurns, OFFERS, type Turn } from './turns.ts';

/** A double count would happen right afterwards. */
const AFTERWARDS_MS = 200;

export type IntakeSamples = ReadonlyMap<Turn, readonly Sample[]>;

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
  return measureByTurns(intakeTurns(o.quick), o, (turn) => measure(db, stage, turn));
}

async function measure(db: pg.Client, stage: Stage, turn: Turn): Promise<Sample> {
  await db.query('TRUNCATE traffic, traffic_inbox, traffic_viewers');
  await fillQueue(stage.rabbitmqUrl, turn.views, turn.traffic);
  await using taking = new AsyncDisposableStack();
  const counted = () => countedIn(db);
  const begin = async () => taking.use(await startReplicas(stage, turn.replicas)).pids;
  const sample = await measureProgress({ count: turn.views, begin, done: counted });
  await pause(AFTERWARDS_MS);
  const count = await counted();
  if (count !== turn.views)
    throw new Error(`${turn.title}: ${count} of ${turn.views} views are in the roll-ups`);
  return sample;
}

async function countedIn(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT coalesce(sum(views + views_repeated + views_automated), 0)::float8 AS count FROM traffic',
  );
  return rows[0]?.count ?? 0;
}

/** With ids from 1 on. */
async function putOffers(db: pg.Client): Promise<void> {
  await db.query("INSERT INTO categories VALUES (1, 'Food', true, NULL) ON CONFLICT DO NOTHING");
  await db.query(
    `INSERT INTO offers (offer_id, organisation_id, mode, trading_name, country, currency, category_id, title, description,
       terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, created_at, start_at,
       expiry_at, payment_method, net_minor, shown_at)
     OVERRIDING SYSTEM VALUE
     SELECT id, 1, 'TEST', 'T', 'GB', 'GBP', 1, 'T', '', '', 'https://a.test', 'i', 0, 0, 5, '{}', '{}', now(), now(),
       now() + interval '1 year', 'B', 100, now()
     FROM generate_series(1, $1::integer) AS id`,
    [OFFERS],
  );
}
