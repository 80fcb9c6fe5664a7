/** The erasure of a person: nothing of the address is left in the store, whatever is under way. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { adminToken, testAdminGuard } from '@offer-ads/testing/admin';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTestServer } from '@offer-ads/testing/http-server';
import { collectionsWith } from '@offer-ads/testing/stores/find-text';
import { openBouncesStore } from '../src/bounces-store.ts';
import { usualPreferences } from '../src/domain/preferences.ts';
import { erasureRoutes } from '../src/http/erasure-routes.ts';
import { setUpAnnouncing } from './announcing-under-test.ts';
import * as events from './events.ts';

const test = forAllTests(() => setUpAnnouncing());
const server = forAllTests(() =>
  startTestServer((app) => erasureRoutes(app, { erasure: test.notifier.erasure, admin: testAdminGuard() })),
);
beforeEach(async () => {
  await test.forget();
  await test.mongo.connection.collection('bounces').deleteMany({});
});

const [ann, bob] = events.cornerCafe.people as [Person, Person];
type Person = (typeof events.cornerCafe.people)[number];
const others = { people: events.cornerCafe.people.filter(({ personId }) => personId !== ann.personId) };

async function erase(o: { dryRun?: boolean; email?: string; token?: string } = {}) {
  const { dryRun = false, email = ann.email.toUpperCase(), token = adminToken } = o;
  const reply = await fetch(`${server.url}/admin/people/erase`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email, personIds: [ann.personId], dryRun, reason: 'asked for it' }),
  });
  return { status: reply.status, body: await reply.json() };
}

const withAddress = () => {
  const { db } = test.mongo.connection;
  if (db === undefined) throw new Error('not connected');
  return collectionsWith(db, ann.email);
};

const chosen = { ...usualPreferences, offerEnded: false, balanceLow: true, testMode: false };

/** Mails to Ann in every place of the store. */
async function known(): Promise<void> {
  await test.hear(events.registered());
  await test.hear(events.paymentApplied());
  await test.hear(events.signInRequested());
  await test.notifier.preferences.save(ann.personId, chosen, new Date());
  await (await openBouncesStore(test.mongo)).add(ann.email, '550 no such mailbox', new Date());
}

describe('POST /admin/people/erase', () => {
  it('leaves the address in no collection, and the mails of others where they are', async () => {
    await known();
    expect(await withAddress()).toEqual(['bounces', 'contacts', 'notifications']);
    const { status, body } = await erase();
    expect([status, body]).toEqual([200, { contacts: 1, notifications: 2, bounces: 1, preferences: 1 }]);
    expect(await withAddress()).toEqual([]);
    expect(await test.recipients()).toEqual([bob.email]);
    expect((await test.notifier.preferences.of(ann.personId)).offerEnded).toBe(true);
    expect((await erase()).body).toEqual({ contacts: 0, notifications: 0, bounces: 0, preferences: 0 });
  });

  it('erases nothing in a dry run', async () => {
    await known();
    const { body } = await erase({ dryRun: true });
    expect(body).toEqual({ contacts: 1, notifications: 2, bounces: 1, preferences: 1 });
    expect(await withAddress()).toEqual(['bounces', 'contacts', 'notifications']);
  });

  it('does not take a part of an address for the address', async () => {
    await known();
    expect((await erase({ email: ann.email.slice(1) })).body).toMatchObject({
      contacts: 0,
      notifications: 0,
    });
    expect(await withAddress()).toEqual(['bounces', 'contacts', 'notifications']);
  });

  it('needs the admin credential: 401', async () => {
    expect((await erase({ token: 'x' })).status).toBe(401);
  });
});

describe('the event of an erasure', () => {
  it('erases mails, sent and unsent, and choices of the person in the organisation by itself', async () => {
    await test.hear(events.registered());
    await test.hear(events.paymentApplied());
    await test.notifier.preferences.save(ann.personId, chosen, new Date());
    await test.hear(events.changed(others, 2));
    expect(await withAddress()).toEqual([]);
    expect((await test.notifier.preferences.of(ann.personId)).offerEnded).toBe(true);
  });

  it('erases what an older event has brought back after the call', async () => {
    await known();
    await erase();
    await test.hear(events.changed({}, 2));
    await test.hear(events.ended());
    expect(await withAddress()).toEqual(['contacts', 'notifications']);
    await test.hear(events.changed(others, 3));
    expect(await withAddress()).toEqual([]);
  });
});
