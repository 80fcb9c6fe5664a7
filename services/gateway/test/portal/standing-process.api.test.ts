/** A gateway that stands still, as in a long pause of a virtual machine or of the garbage collector, and then continues. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startGatewayProcess } from '../gateway-process.ts';
import type { Reply } from '../gateway-under-test.ts';
import { signedIn } from './members.ts';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

/** A little more than the two seconds within which a command is committed. */
const standstillMs = 2_200;
/** The writes at the end of the transactions of the commands below. */
const heldWrites = [
  ['organisations', 'UPDATE'],
  ['api_keys', 'INSERT OR UPDATE'],
  ['people', 'INSERT'],
  ['terms_acceptances', 'INSERT'],
  ['portal_sessions', 'INSERT OR DELETE'],
] as const;

const opened = new AsyncDisposableStack();
let portal: PortalUnderTest;
let standing: ServiceProcess;
beforeAll(async () => {
  portal = opened.use(await startPortalUnderTest());
  // The process has the real time.
  portal.clock.set(new Date());
  await portal.database.query(
    `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_advisory_xact_lock_shared(1);
       RETURN NULL;
     END $$`,
  );
  for (const [table, change] of heldWrites)
    await portal.database.query(
      `CREATE TRIGGER wait_for_test AFTER ${change} ON ${table} FOR EACH ROW EXECUTE FUNCTION wait_for_test()`,
    );
  standing = opened.use(await startGatewayProcess(portal.gateway));
});
afterAll(() => opened.disposeAsync());

async function everythingThatChanges(): Promise<unknown> {
  const { rows } = await portal.database.query(
    `SELECT (SELECT json_agg(json_build_array(o.trading_name, o.purchase_order) ORDER BY id) FROM organisations o) AS facts,
            (SELECT json_agg(disabled_at ORDER BY id) FROM api_keys) AS keys,
            (SELECT count(*) FROM people) AS people,
            (SELECT count(*) FROM terms_acceptances) AS acceptances,
            (SELECT json_agg(email ORDER BY email) FROM portal_sessions) AS sessions,
            (SELECT count(*) FROM sign_in_links WHERE used_at IS NOT NULL) AS used_links`,
  );
  return rows[0];
}

/** An admin of a new organisation, because changes of one organisation wait for each other. */
async function admin(number: number) {
  const email = `admin-${number}@cafe.test`;
  await portal.organisationOf(email);
  return signedIn(portal, email);
}

it('commits no portal command if it stands still between its decision and its commit: all are 503, and work later', async () => {
  await portal.gateway.admin('POST', '/terms', { version: '2026', text: 'Be kind' });
  const admins = await Promise.all(Array.from({ length: 8 }, (_, number) => admin(number)));
  const key = (await admins[2]!.call('POST', '/keys', { mode: 'TEST', name: 'Till' })).body as { id: number };
  const { email, browser } = admins[6]!;
  await browser.ask(email);
  const token = await portal.nextToken(email);
  for (const member of admins) member.browser.url = standing.url;

  const requests: readonly (readonly [method: string, path: string, json: object])[] = [
    ['PATCH', '/organisation', { tradingName: 'Renamed late' }],
    ['POST', '/keys', { mode: 'TEST', name: 'Late' }],
    ['POST', `/keys/${key.id}/disable`, {}],
    ['POST', '/people', { email: 'late@cafe.test', role: 'developer' }],
    ['POST', '/terms/acceptance', { version: '2026' }],
    ['POST', '/sign-out-everywhere', {}],
    ['POST', '/sign-in/complete', { token }],
    ['PUT', '/organisation/billing-details', { address: [], vatNumber: null, purchaseOrder: 'Late' }],
  ];
  const send = ([method, path, json]: (typeof requests)[number], number: number): Promise<Reply> =>
    admins[number]!.call(method, path, json, { once: true });
  const statuses = async () => (await Promise.all(requests.map(send))).map(({ status }) => status);

  const before = await everythingThatChanges();
  await portal.database.query('SELECT pg_advisory_lock(1)');
  const answered = statuses();
  await eventually(async () => {
    const { rows } = await portal.database.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows).toHaveLength(requests.length);
  });
  standing.child.kill('SIGSTOP');
  await portal.database.query('SELECT pg_advisory_unlock(1)');
  await pause(standstillMs);
  standing.child.kill('SIGCONT');
  expect(await answered).toEqual(requests.map(() => 503));
  expect(await everythingThatChanges()).toEqual(before);

  expect(await statuses()).toEqual([200, 201, 200, 201, 200, 204, 200, 200]);
});
