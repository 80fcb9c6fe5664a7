/**
 * What somebody builds in an afternoon: fastify with its rate limit and its proxy, the key of each request looked up in Postgres, calls
 * inserted in batches, one log line for each request. PORT, UPSTREAM_URL and DATABASE_URL come from the environment.
 */
import { createHash, randomUUID } from 'node:crypto';
import proxy from '@fastify/http-proxy';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = fastify({ logger: true, disableRequestLogging: true, trustProxy: '127.0.0.1' });

type Key = { readonly id: number; readonly organisationId: number };
type Call = { readonly key: Key; readonly at: Date; readonly status: number; readonly durationMs: number };
let calls: Call[] = [];
const keys = new WeakMap<object, Key>();

await app.register(rateLimit, { max: 60, timeWindow: 60_000, cache: 200_000 });
app.addHook('onResponse', async (req, reply) => {
  req.log.info({ url: req.routeOptions.url, status: reply.statusCode, ms: reply.elapsedTime }, 'request');
  const key = keys.get(req);
  if (key !== undefined)
    calls.push({ key, at: new Date(), status: reply.statusCode, durationMs: reply.elapsedTime });
});
app.addHook('preHandler', async (req, reply) => {
  const key = await findKey(String(req.headers['x-api-key']));
  if (key?.works === true) keys.set(req, key);
  else await reply.code(401).send({ message: 'Unauthorised' });
});
await app.register(proxy, { upstream: process.env.UPSTREAM_URL ?? '', undici: { connections: 256 } });

async function findKey(text: string): Promise<(Key & { readonly works: boolean }) | undefined> {
  const { rows } = await pool.query({
    name: 'key',
    text: `SELECT k.id, k.organisation_id AS "organisationId",
                  k.disabled_at IS NULL AND coalesce(k.expires_at > now(), true) AND p.enabled AND o.enabled AS works
           FROM api_keys k JOIN people p ON p.id = k.created_by JOIN organisations o ON o.id = k.organisation_id
           WHERE k.sha256 = $1`,
    values: [createHash('sha256').update(text).digest()],
  });
  return rows[0];
}

async function insertCalls(): Promise<void> {
  const batch = calls;
  calls = [];
  if (batch.length === 0) return;
  await pool.query(
    `INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, request_id)
     SELECT *, 'GET /categories', 'bench' FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[], $6::smallint[])`,
    [
      batch.map(() => randomUUID()),
      batch.map(({ at }) => at),
      batch.map(({ key }) => key.organisationId),
      batch.map(({ key }) => key.id),
      batch.map(({ durationMs }) => Math.round(durationMs)),
      batch.map(({ status }) => status),
    ],
  );
}
setInterval(() => void insertCalls(), 50);
process.once('SIGTERM', () => process.exit());
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
