/** A gateway that stands still, as in a long pause of a virtual machine or of the collector, and then goes on where it was. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ServiceProcess } from '@offer-ads/testing/service-process';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startGatewayProcess } from '../gateway-process.ts';
import type { Reply } from '../gateway-under-test.ts';
import { signedIn, type TestMember } from './members.ts';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

/** A little more than the two seconds within which a command is committed. */
const STANDSTILL_MS = 2_200;
/** What the commands below write into, at the end of their transactions. */
const HELD = [
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
  for (const [table, change] of HELD)
    await portal.database.query(
      `CREATE TRIGGER wait_for_test AFTER ${change} ON ${table} FOR EACH ROW EXECUTE FUNCTION wait_for_test()`,
    );
  standing = opened.use(await startGatewayProcess(portal.gateway));
});
afterAll(() => opened.disposeAsync());

let admins = 0;
/** Of an organisation of their own: changes of one wait for each other. */
async function anAdmin(): Promise<TestMember> {
  const email = `admin-${(admins += 1)}@cafe.test`;
  await portal.organisationOf(email);
  return signedIn(portal, email);
}

async function allThatChanges(): Promise<unknown> {
  const { rows } = await portal.database.query(
    `SELECT (SELECT json_agg(o.trading_name ORDER BY id) FROM organisations o) AS names,
            (SELECT json_agg(disabled_at ORDER BY id) FROM api_keys) AS keys,
            (SELECT count(*) FROM people) AS people,
            (SELECT count(*) FROM terms_acceptances) AS acceptances,
            (SELECT json_agg(email ORDER BY email) FROM portal_sessions) AS sessions,
            (SELECT count(*) FROM sign_in_links WHERE used_at IS NOT NULL) AS used_links`,
  );
  return rows[0];
}

it('commits no portal command between whose decision and commit it has stood still: they are 503, and work afterwards', async () => {
  await portal.gateway.admin('POST', '/terms', { version: '2026', text: 'Be kind' });
  const [renamer, maker, disabler, inviter, accepter, leaver, comer] = await Promise.all(
    Array.from({ length: 7 }, anAdmin),
  );
  if (!renamer || !maker || !disabler || !inviter || !accepter || !leaver || !comer) throw new Error('none');
  const key = (await disabler.call('POST', '/keys', { mode: 'TEST', name: 'Till' })).body as { id: number };
  const browser = portal.browser();
  await browser.ask(comer.email);
  const token = await portal.nextToken(comer.email);
  for (const member of [renamer, maker, disabler, inviter, accepter, leaver])
    member.browser.url = standing.url;
  browser.url = standing.url;

  const once = { once: true };
  const commands: readonly (() => Promise<Reply>)[] = [
    () => renamer.call('PATCH', '/organisation', { tradingName: 'Renamed late' }, once),
    () => maker.call('POST', '/keys', { mode: 'TEST', name: 'Late' }, once),
    () => disabler.call('POST', `/keys/${key.id}/disable`, {}, once),
    () => inviter.call('POST', '/people', { email: 'late@cafe.test', role: 'developer' }, once),
    () => accepter.call('POST', '/terms/acceptance', { version: '2026' }, once),
    () => leaver.call('POST', '/sign-out-everywhere', {}, once),
    () => browser.call('/portal/api/sign-in/complete', { method: 'POST', json: { token }, once: true }),
  ];
  const statuses = async () => Promise.all(commands.map(async (command) => (await command()).status));

  const before = await allThatChanges();
  await portal.database.query('SELECT pg_advisory_lock(1)');
  const told = statuses();
  await eventually(async () => {
    const { rows } = await portal.database.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rows).toHaveLength(commands.length);
  });
  standing.child.kill('SIGSTOP');
  await portal.database.query('SELECT pg_advisory_unlock(1)');
  await pause(STANDSTILL_MS);
  standing.child.kill('SIGCONT');
  expect(await told).toEqual(commands.map(() => 503));
  expect(await allThatChanges()).toEqual(before);

  expect(await statuses()).toEqual([200, 201, 200, 201, 200, 204, 200]);
});
