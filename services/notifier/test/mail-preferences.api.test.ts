/** A person's mail preferences, changed by the gateway or by the unsubscribe link in a mail. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTestServer } from '@offer-ads/testing/http-server';
import { fc } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Express } from 'express';
import { usualPreferences } from '../src/domain/preferences.ts';
import { preferenceRoutes } from '../src/http/preference-routes.ts';
import { unsubscribeRoutes } from '../src/http/unsubscribe-routes.ts';
import { unsubscribeLinks } from '../src/unsubscribe-links.ts';
import { setUpAnnouncing } from './announcing-under-test.ts';
import * as events from './events.ts';

const test = forAllTests(() => setUpAnnouncing());
const server = forAllTests(() => {
  const { notifier } = test;
  const routes = (app: Express) => {
    preferenceRoutes(app, notifier, testContextSecret);
    unsubscribeRoutes(app, notifier);
  };
  return startTestServer(routes, { clock: notifier.clock, logger: notifier.logger });
});
beforeEach(() => test.forget());

const everything = { ...usualPreferences, offerEnded: true, balanceLow: true, testMode: false };

describe('/internal/mail-preferences', () => {
  type Caller = Parameters<typeof signedCaller>[0];
  async function ask(o: { caller?: Partial<Caller>; secret?: string; json?: unknown; body?: string } = {}) {
    const isPut = o.json !== undefined || o.body !== undefined;
    const reply = await fetch(`${server.url}/internal/mail-preferences`, {
      method: isPut ? 'PUT' : 'GET',
      headers: {
        ...signedCaller({ audience: 'notifier', personId: 7, ...o.caller }, o.secret),
        ...(isPut ? { 'content-type': 'application/json' } : {}),
      },
      ...(isPut ? { body: o.body ?? JSON.stringify(o.json) } : {}),
    });
    return [reply.status, await reply.json()];
  }

  it('wants every mail until the person says otherwise', async () => {
    expect(await ask()).toEqual([200, everything]);
  });

  it('stores what the person chose, for this person only, also when sent twice', async () => {
    const wish = { ...usualPreferences, offerEnded: false, balanceLow: true, testMode: true };
    expect(await ask({ json: wish })).toEqual([200, wish]);
    expect(await ask({ json: wish })).toEqual([200, wish]);
    expect(await ask()).toEqual([200, wish]);
    expect(await ask({ caller: { personId: 8 } })).toEqual([200, everything]);
    expect(await ask({ json: everything })).toEqual([200, everything]);
    expect(await ask()).toEqual([200, everything]);
  });

  it.each([
    ['one preference alone', { offerEnded: false }, /balanceLow/],
    ['a mail that cannot be switched off', { ...everything, offerPaid: false }, /offerPaid/],
    ['a value that is not a boolean', { ...everything, offerEnded: 'no' }, /offerEnded/],
    ['an empty array', [], /./],
  ])('refuses %s, says what is wrong, and changes nothing', async (_what, json, message) => {
    await ask({ json: { ...usualPreferences, offerEnded: false, balanceLow: false, testMode: true } });
    expect(await ask({ json })).toEqual([400, { message: expect.stringMatching(message) }]);
    expect(await ask()).toEqual([
      200,
      { ...usualPreferences, offerEnded: false, balanceLow: false, testMode: true },
    ]);
  });

  it('refuses invalid JSON', async () => {
    expect(await ask({ body: '{' })).toMatchObject([400, {}]);
  });

  it('needs a valid caller context of a person, signed by the gateway', async () => {
    const refused = [401, { message: 'Unauthorised' }];
    expect(await ask({ caller: { audience: 'billing' } })).toEqual(refused);
    expect(await ask({ caller: { personId: null } })).toEqual(refused);
    expect(await ask({ caller: { validUntil: 1 } })).toMatchObject([503, {}]);
    expect(await ask({ secret: 'another-secret-that-only-tests-ever-use-0123' })).toEqual(refused);
    expect((await fetch(`${server.url}/internal/mail-preferences`)).status).toBe(401);
  });
});

describe('the unsubscribe link in a mail', () => {
  /** The path in the mail without the gateway's `/portal`. */
  async function linkFor(email: string): Promise<string> {
    await test.hear(events.ended());
    const stored = await test.stored();
    const message = stored.find(({ recipient }) => recipient === email)?.message;
    const url = /https:\/\/ads\.example\/portal(\/unsubscribe\/\S+)/.exec(message?.text ?? '')?.[1];
    if (url === undefined) throw new Error(`no link for ${email}`);
    return `${server.url}${url}`;
  }
  const wishesOf = (personId: number) => test.notifier.preferences.of(personId);
  const oneClick = (url: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });

  beforeEach(() => test.hear(events.registered()));

  it('switches mails of its kind off for its person when it receives a POST, also twice', async () => {
    const url = await linkFor('ann@cafe.example');
    for (let round = 1; round <= 2; round += 1) {
      const reply = await oneClick(url);
      expect([reply.status, await reply.text()]).toEqual([
        200,
        expect.stringContaining('You get no more mails'),
      ]);
    }
    expect(await wishesOf(1)).toEqual({ ...everything, offerEnded: false });
    expect(await wishesOf(2)).toEqual(everything);
    await test.hear(events.ended({ offerId: 18 }));
    expect((await test.stored()).map(({ _id }) => _id)).not.toContain(
      'offer-ended/offer/18 to ann@cafe.example',
    );
    expect((await test.stored()).map(({ _id }) => _id)).toContain('offer-ended/offer/18 to bob@cafe.example');
  });

  it('does not change the other preferences', async () => {
    const url = await linkFor('ann@cafe.example');
    const chosen = { ...usualPreferences, offerEnded: true, balanceLow: false, testMode: true };
    await test.notifier.preferences.save(1, chosen, new Date());
    await fetch(url, { method: 'POST' });
    expect(await wishesOf(1)).toEqual({ ...chosen, offerEnded: false });
  });

  it('changes nothing on GET and HEAD, which mail scanners send', async () => {
    const url = await linkFor('ann@cafe.example');
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const page = await (await fetch(url)).text();
    expect(page).toContain('<form method="post">');
    expect(await wishesOf(1)).toEqual(everything);
    await oneClick(url);
    const after = await (await fetch(url)).text();
    expect(after).toContain('You get no more mails');
    expect(after).not.toContain('<form');
  });

  it('leads to a page that names the mails and the organisation, runs no script and sends no referrer', async () => {
    const tradingName = '</main><script>steal()</script>\u202eCafe';
    await test.hear(events.changed({ tradingName }, 2));
    const reply = await fetch(await linkFor('bob@cafe.example'));
    const page = await reply.text();
    expect(page).toContain('mails about ended offers of <bdi>&lt;/main&gt;&lt;script&gt;');
    expect(page).not.toMatch(/<script|\u202e|@cafe/);
    expect(reply.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(page).toContain('name="viewport"');
  });

  it('never expires, also when the organisation is no longer known', async () => {
    const url = await linkFor('ann@cafe.example');
    await test.mongo.connection.collection('contacts').deleteMany({});
    test.clock.advance(10 * 365 * 24 * 3_600_000);
    expect((await oneClick(url)).status).toBe(200);
    expect(await wishesOf(1)).toEqual({ ...everything, offerEnded: false });
  });

  it('is refused with a clear page when any character differs', async () => {
    const url = await linkFor('ann@cafe.example');
    const start = url.lastIndexOf('/') + 1;
    const places = fc.integer({ min: start, max: url.length - 1 });
    const others = fc.constantFrom(...Array.from('0129.aEzZ-_'));
    await fc.assert(
      fc.asyncProperty(places, others, async (place, other) => {
        fc.pre(url[place] !== other);
        const forged = `${url.slice(0, place)}${other}${url.slice(place + 1)}`;
        const reply = await oneClick(forged);
        expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining('not complete')]);
      }),
    );
    for (const personId of [1, 2, 3]) expect(await wishesOf(personId)).toEqual(everything);
  });

  it('is refused without its signature, for another person or mail, or signed with another secret', async () => {
    const token = (await linkFor('ann@cafe.example')).split('/').at(-1) ?? '';
    const [organisationId, personId, mail, mac] = token.split('.');
    const secret = 'another-secret-that-only-tests-ever-use-0123';
    const foreign = unsubscribeLinks({ secret, portalUrl: '' }).urlFor({
      organisationId: 1,
      personId: 1,
      mail: 'offerEnded',
    });
    for (const forged of [
      `${organisationId}.${personId}.${mail}`,
      `${organisationId}.${personId}.${mail}.`,
      `${organisationId}.2.${mail}.${mac}`,
      `${organisationId}.${personId}.balanceLow.${mac}`,
      `${organisationId}.${personId}.everything.${mac}`,
      `${organisationId}.0${personId}.${mail}.${mac}`,
      `1${token}`,
      `${token}x`,
      foreign.split('/').at(-1),
      'x',
      'x'.repeat(5_000),
      '%00',
    ])
      expect([forged, (await oneClick(`${server.url}/unsubscribe/${forged}`)).status]).toEqual([forged, 404]);
    expect(await wishesOf(1)).toEqual(everything);
  });

  it('is in no log, and neither is its address', async () => {
    const url = await linkFor('ann@cafe.example');
    const requests = () => test.log.filter((line) => line.includes('/unsubscribe/:token')).length;
    const before = requests();
    await fetch(url);
    await oneClick(url);
    // A request is logged after its reply was sent.
    await eventually(() => expect(requests()).toBeGreaterThanOrEqual(before + 2));
    expect(test.log.join()).not.toContain(url.split('/').at(-1));
    expect(test.log.join()).not.toContain('ann@cafe.example');
  });
});
