import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { fc } from '@offer-ads/testing/profile';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { manageOrganisations } from '../src/accounts/manage-organisations.ts';
import { managePeople } from '../src/accounts/manage-people.ts';
import { listOrganisations } from '../src/accounts/organisations-store.ts';
import { insertCalls } from '../src/call-log/calls-store.ts';
import type { Actor } from '../src/domain/accounts/people.ts';
import { isInForce } from '../src/domain/keys/key-state.ts';
import { countKeysInForce, findKeyFacts, sha256Of } from '../src/keys/keys-store.ts';
import { manageKeys } from '../src/keys/manage-keys.ts';
import { callWith, connect, rowsRead, storePatienceMs } from './call-log/calls-database.ts';
import { cafe } from './gateway-under-test.ts';

const at = new Date('2026-06-01T12:00:00.000Z');
const clock = { now: () => at };
/** A change by the platform team, or by a person. */
const by = (actor: Actor = 'platform-team') => ({ by: actor, deadline: createDeadline(60_000) });
const open = new AsyncDisposableStack();
let databaseUrl: string;
let postgres: Postgres;
let keys: ReturnType<typeof manageKeys>;
let organisations: ReturnType<typeof manageOrganisations>;
let people: ReturnType<typeof managePeople>;

beforeAll(async () => {
  const database = await createTestDatabase('gateway');
  open.defer(() => database.dispose());
  databaseUrl = database.url;
  postgres = open.use(await connect(databaseUrl, { statementTimeoutMs: storePatienceMs }));
  const administration = { postgres, clock };
  keys = manageKeys(administration);
  organisations = manageOrganisations(administration);
  people = managePeople({ ...administration, publicUrl: 'https://ads.example.test' });
});
afterAll(async () => open.disposeAsync());

async function issueKey() {
  const { id: organisationId } = await organisations.register(cafe, 'a test', createDeadline(60_000));
  const wish = { mode: 'TEST', name: 'Till', expiresAt: null } as const;
  const issued = await keys.create({ organisationId, ...by() }, wish);
  if (!issued.ok) throw new Error(issued.reason);
  return { organisationId, ...issued.value };
}

describe('concurrent changes', () => {
  it('of keys and their logged calls cannot deadlock', async () => {
    const issued = await Promise.all(Array.from({ length: 8 }, issueKey));
    const logging = Array.from({ length: 6 }, (_, turn) => {
      const called = turn % 2 ? issued : issued.toReversed();
      const later = new Date(at.getTime() + turn * 120_000);
      return insertCalls(
        postgres,
        called.map(({ key }) => callWith(sha256Of(key), { at: later })),
      );
    });
    const changing = issued.map(({ id }, index) =>
      index % 2 ? keys.roll({ id, ...by() }) : keys.disable({ id, ...by() }),
    );
    const outcomes = await Promise.all([...changing, ...logging]);
    expect(outcomes.slice(0, 8)).toEqual(
      Array.from({ length: 8 }, () => expect.objectContaining({ ok: true })),
    );
  });

  it('by two rolls of one key issue one new key', async () => {
    const { id, organisationId } = await issueKey();
    const outcomes = await Promise.all([keys.roll({ id, ...by() }), keys.roll({ id, ...by() })]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await keys.list(organisationId)).toHaveLength(2);
  });

  it('of one organisation get separate versions', async () => {
    const { organisationId } = await issueKey();
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        people.invite({ organisationId, ...by() }, { email: `${name}@cafe.test`, role: 'marketer' }),
      ),
    );
    expect(await organisations.find(organisationId)).toMatchObject({ version: 4, people: { length: 4 } });
  });
});

describe('the last enabled admin', () => {
  const admins = async () => {
    const { id: organisationId } = await organisations.register(cafe, 'a test', createDeadline(60_000));
    const wish = { email: 'b@cafe.test', role: 'admin' } as const;
    const second = await people.invite({ organisationId, ...by() }, wish);
    const first = (await organisations.find(organisationId))?.people[0];
    if (!second.ok || first === undefined) throw new Error('no two admins');
    return { organisationId, first: first.id, second: second.value.id };
  };
  const enabledAdmins = async (organisationId: number) =>
    (await organisations.find(organisationId))?.people.filter(
      ({ role, enabled }) => enabled && role === 'admin',
    );

  it.each([[{ enabled: false }], [{ role: 'marketer' as const }]])(
    'stays if two admins remove each other at the same time: %j',
    async (change) => {
      const { organisationId, first, second } = await admins();
      const outcomes = await Promise.all([
        people.change({ organisationId, ...by({ personId: first }) }, { id: second }, change),
        people.change({ organisationId, ...by({ personId: second }) }, { id: first }, change),
      ]);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(outcomes).toContainEqual({ ok: false, reason: 'not-allowed' });
      expect(await enabledAdmins(organisationId)).toHaveLength(1);
    },
  );

  it('stays if both give up the role at the same time', async () => {
    const { organisationId, first, second } = await admins();
    const stepDown = (id: number) =>
      people.change({ organisationId, ...by({ personId: id }) }, { id }, { role: 'developer' });
    const outcomes = await Promise.all([stepDown(first), stepDown(second)]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes).toContainEqual({ ok: false, reason: 'last-admin' });
    expect(await enabledAdmins(organisationId)).toHaveLength(1);
  });
});

describe('an invitation', () => {
  it('and the change of the organisation are published together or not at all', async () => {
    const { id: organisationId } = await organisations.register(cafe, 'a test', createDeadline(60_000));
    const events = async () =>
      (
        await postgres.query<{ type: string }>(
          `SELECT event->>'type' AS type FROM outbox
           WHERE (event->'data'->>'organisationId')::integer = $1 ORDER BY position`,
          [organisationId],
        )
      ).map(({ type }) => type.split('.').at(-2));
    const invite = () =>
      people.invite({ organisationId, ...by() }, { email: 'c@cafe.test', role: 'marketer' });
    expect(await invite()).toMatchObject({ ok: true });
    expect(await invite()).toEqual({ ok: false, reason: 'person-exists' });
    expect(await events()).toEqual(['OrganisationRegistered', 'PersonInvited', 'OrganisationChanged']);
  });
});

describe('a key in the store', () => {
  it('is found by its hash, beside others that do not exist', async () => {
    const { key, organisationId } = await issueKey();
    const sha256 = sha256Of(key);
    const found = await findKeyFacts(postgres, [sha256Of('another'), sha256]);
    expect(found).toMatchObject([{ sha256, organisationId, mode: 'TEST' }]);
  });

  it('is looked up by a statement that is planned once for each connection', async () => {
    const { key } = await issueKey();
    await using one = await connect(databaseUrl, { maxConnections: 1, plansOnce: true });
    for (let count = 0; count < 8; count += 1) await findKeyFacts(one, [sha256Of(key)]);
    const planned = await one.query('SELECT generic_plans, custom_plans FROM pg_prepared_statements');
    expect(planned).toEqual([{ generic_plans: 8n, custom_plans: 0n }]);
  });

  it('is in force in SQL exactly when it is in the domain', async () => {
    const { id, organisationId } = await issueKey();
    const instant = fc.constantFrom(...[-1, 0, 1].map((ms) => new Date(at.getTime() + ms)));
    const life = fc.record({
      disabledAt: fc.option(instant, { nil: null, freq: 2 }),
      expiresAt: fc.option(instant, { nil: null, freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 8 }), async (lives) => {
        await postgres.query('DELETE FROM api_keys WHERE organisation_id = $1 AND id <> $2', [
          organisationId,
          id,
        ]);
        await postgres.query(
          `INSERT INTO api_keys (organisation_id, created_by, sha256, last_four, mode, name, created_at, disabled_at, expires_at)
           SELECT organisation_id, created_by, sha256(gen_random_uuid()::text::bytea), 'last', mode, name, created_at,
                  life."disabledAt", life."expiresAt"
           FROM api_keys, json_to_recordset($2::json) AS life ("disabledAt" timestamptz, "expiresAt" timestamptz)
           WHERE id = $1`,
          [id, JSON.stringify(lives)],
        );
        // The first key has neither been disabled nor will it expire.
        const inForce = 1 + lives.filter((key) => isInForce(key, at)).length;
        const listed = (await keys.listOwned(organisationId)).map((key) => isInForce(key, at));
        expect(listed).toEqual(Array.from({ length: lives.length + 1 }, (_, index) => index < inForce));
        expect(await people.list(organisationId)).toMatchObject([{ keysInForce: inForce }]);
        await postgres.transaction(async (tx) => {
          expect(await countKeysInForce(tx, { organisationId, mode: 'TEST', at })).toBe(inForce);
        });
      }),
    );
  });
});

it('a page of organisations reads the acceptances of its own organisations only', async () => {
  await postgres.query(
    "INSERT INTO terms_versions (version, text, published_at) VALUES ('2026-06', 'x', now())",
  );
  await postgres.query(
    `WITH registered AS (
       INSERT INTO organisations (name, trading_name, country, currency, registered_at)
       SELECT 'Cafe', 'Cafe', 'GB', 'GBP', now() FROM generate_series(1, 10000) RETURNING id)
     INSERT INTO terms_acceptances (organisation_id, terms_version_id, accepted_at)
     SELECT registered.id, terms_versions.id, now() FROM registered, terms_versions`,
  );
  await postgres.query('ANALYZE organisations, terms_acceptances');
  const read = await rowsRead(postgres, 'terms_acceptances', (explaining) =>
    listOrganisations(explaining, { limit: 50 }),
  );
  expect(read).toEqual([50]);
});
