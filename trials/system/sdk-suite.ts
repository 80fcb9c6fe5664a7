/** What the shared suites do not test of the SDK: the other rows of the tables of codes, resuming, and pages. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CreateOfferRequest, createCommunityClient, OfferAdsError, unwrap } from '@offer-ads/sdk';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { installPacked } from '../../packages/sdk/test/packed.ts';
import {
  type Advertiser,
  hourMs,
  inFuture,
  london,
  minuteMs,
  newOrganisation,
  type Organisation,
  offerForm,
} from '../harness/advertiser.ts';
import { setFaults } from '../harness/simulators.ts';
import type { SoonOver } from '../harness/soon-over.ts';
import type { TestSystem } from '../harness/test-system.ts';
import { bySdk, everyRow, type Row, sdkClient } from './sdk-advertiser.ts';

const picture = fileURLToPath(new URL('../../docs/test-pictures/always-allowed.png', import.meta.url));

const refusedPicture = fileURLToPath(new URL('../../docs/test-pictures/always-refused.jpg', import.meta.url));

/** An advertiser's program in plain JavaScript. */
const program = `
import { readFile } from 'node:fs/promises';
import { createClient, unwrap } from '@offer-ads/sdk';

const ads = createClient({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE_URL });
const { offer_id: offerId, status } = unwrap(
  await ads.offers.create({
    category_id: 1,
    title: 'From a packed file',
    description: 'Two coffees for the price of one.',
    url: 'https://crown.example/offer',
    image: new Blob([await readFile(process.env.PICTURE)]),
    location: [51.5, 0],
    radius: 10,
    start_datetime: new Date(Date.now() + 3_600_000),
    expiry_datetime: new Date(Date.now() + 86_400_000),
    payment_method: 'B',
  }),
);
console.log(JSON.stringify({ offerId, status }));
`;

/** @param reached the rows that the earlier suites reached */
export function describeSdk(system: () => TestSystem, reached: Set<Row>, over: () => SoonOver): void {
  describe('the SDK', () => {
    let organisation: Organisation;
    let caller: Advertiser;
    let soonOver: number;
    beforeAll(async () => {
      ({ organisation, offerId: soonOver } = over());
      caller = bySdk(reached).advertiser(system(), organisation.key);
    });

    const act = (action: string, offerId: number) => caller.request('POST', `/offers/${offerId}/${action}`);
    const byCard = async () => {
      const form = await offerForm({ payment_method: 'E', expiry_datetime: inFuture(24 * hourMs) });
      return (await caller.create(form)).body.offer_id;
    };
    const request = async (): Promise<CreateOfferRequest> => ({
      category_id: 1,
      title: 'By the SDK',
      description: 'Line one\nand line two.',
      url: 'https://crown.example/offer',
      image: new Blob([new Uint8Array(await photographLikeJpeg({}))]),
      location: london,
      radius: 10,
      // In an hour, because the same request is repeated, and a start in the past would be refused.
      start_datetime: new Date(Date.now() + hourMs),
      expiry_datetime: new Date(Date.now() + 24 * hourMs),
      payment_method: 'E',
    });

    it('reads categories and interests', async () => {
      expect((await caller.request('GET', '/categories')).status).toBe(200);
      expect((await caller.request('GET', '/interests')).status).toBe(200);
    });

    it('reads an offer that awaits its payment, and meets E5 on pause and resume of it', async () => {
      const offerId = await byCard();
      const one = await caller.request('GET', `/offers/${offerId}`);
      expect(one.body).toMatchObject({ actions: ['pay', 'edit', 'delete'] });
      expect((await act('pause', offerId)).body.return_code).toBe('E5');
      expect((await act('resume', offerId)).body.return_code).toBe('E5');
    });

    it('meets E1 for what is not there', async () => {
      for (const reply of [
        await caller.request('GET', '/offers/999999999'),
        await act('credit-estimate', 999_999_999),
        await caller.request('GET', '/offers/999999999/analytics/series?interval=all&granularity=day'),
        await act('pause', 999_999_999),
        await act('resume', 999_999_999),
        await caller.request('DELETE', '/offers/999999999'),
      ]) {
        expect(reply).toMatchObject({ status: 401, body: { return_code: 'E1', message: 'Offer not found' } });
      }
    });

    it('meets E6 and E7 on delete of an offer whose payment page is paid or cannot be closed', async () => {
      const offerId = await byCard();
      const remove = () => caller.request('DELETE', `/offers/${offerId}`);
      try {
        await setFaults(system(), 'stripe', { failExpire: 'down' });
        expect(await remove()).toMatchObject({ status: 503, body: { return_code: 'E7' } });
        await setFaults(system(), 'stripe', { failExpire: 'complete' });
        expect(await remove()).toMatchObject({ status: 409, body: { return_code: 'E6' } });
      } finally {
        await setFaults(system(), 'stripe', {});
      }
    });

    it('meets E1 on a list and on analytics with wrong parameters', async () => {
      expect((await caller.request('GET', '/offers?limit=101')).body.return_code).toBe('E1');
      expect((await caller.request('GET', '/offers?environment=live')).status).toBe(403);
      expect(
        (await caller.request('GET', `/offers/${soonOver}/analytics?interval=1h`)).body.return_code,
      ).toBe('E1');
    });

    it('reads the balance and its entries', async () => {
      const { body: now } = await caller.request('GET', '/balance');
      const { balance } = now as unknown as { balance: number };
      const { body } = await caller.request('GET', '/balance/entries?limit=100');
      expect(body.data[0]).toMatchObject({ balance_after: balance });
      expect((await caller.request('GET', '/balance/entries?limit=101')).body.return_code).toBe('E1');
    });

    it('moves the test clock: an offer goes from Scheduled to Ended, and then the clock is reset', async () => {
      const { id, key } = await newOrganisation(system());
      const live = await system().admin<{ key: string }>('key', 'create', `--org=${id}`, '--mode=live');
      const [own, ofLive] = [key, live.key].map((each) => bySdk(reached).advertiser(system(), each));
      const clock = (method: string, query = '', by = own) => by!.request(method, `/test/clock${query}`);
      const form = await offerForm({
        start_datetime: inFuture(hourMs),
        expiry_datetime: inFuture(2 * hourMs),
      });
      expect((await own!.create(form)).body).toMatchObject({ status: 'Scheduled' });
      expect((await clock('POST', '?advance_seconds=5400')).body).toMatchObject({ status: 'ready' });
      const status = async () =>
        (await own!.request('GET', '/offers?environment=test')).body.data[0]?.offer_status;
      expect(await status()).toBe('Active');
      expect((await clock('DELETE')).body.return_code).toBe('E2');
      // The estimate knows the clock too.
      const estimate = { location: london, radius: 10, end_datetime: inFuture(24 * hourMs) };
      const of = async (start: number) =>
        (await own!.json('POST', '/offers/price-estimate', { ...estimate, start_datetime: inFuture(start) }))
          .body;
      expect([(await of(hourMs)).return_code, (await of(2 * hourMs)).return_code]).toEqual(['E1', 'S1']);
      await clock('POST', '?advance_seconds=5400');
      expect(await status()).toBe('Ended');
      expect((await clock('GET')).body).toMatchObject({ offset_seconds: 10_800 });
      expect((await clock('DELETE')).body).toMatchObject({ offset_seconds: 0 });
      expect((await clock('POST', '?advance_seconds=0')).body.return_code).toBe('E1');
      for (const method of ['GET', 'POST', 'DELETE'])
        expect((await clock(method, '?advance_seconds=60', ofLive)).status).toBe(403);
    });

    it('reads the series of analytics, and the credit of a deletion', async () => {
      const of = (query: string) => caller.request('GET', `/offers/${soonOver}/analytics/series?${query}`);
      expect((await of('interval=all&granularity=hour')).body).toMatchObject({ bucket_seconds: 3_600 });
      expect((await of('interval=all&granularity=week')).body.return_code).toBe('E1');
      expect((await act('credit-estimate', soonOver)).body).toMatchObject({ offer_id: soonOver });
    });

    it('buys an offer from an empty project that has installed the packed file', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sdk-project-'));
      try {
        await installPacked(folder);
        writeFileSync(join(folder, 'buy.js'), program);
        const bought = await promisify(execFile)(process.execPath, ['buy.js'], {
          cwd: folder,
          env: { BASE_URL: system().state().gateway, API_KEY: organisation.key, PICTURE: picture },
        });
        const { offerId, status } = JSON.parse(bought.stdout) as { offerId: number; status: string };
        const offer = await caller.request('GET', `/offers/${offerId}`);
        expect([status, offer.body]).toMatchObject(['Scheduled', { title: 'From a packed file' }]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    type AnyResult =
      | { readonly ok: true; readonly value: object }
      | { readonly ok: false; readonly code: string; readonly status: number };
    const meet = async <R extends AnyResult>(name: string, asked: Promise<R>): Promise<R> => {
      const result = await asked;
      const any: AnyResult = result;
      const code = any.ok && 'return_code' in any.value ? `${String(any.value.return_code)} 200` : '200';
      reached.add(any.ok ? `${name} ${code}` : `${name} ${any.code} ${any.status}`);
      return result;
    };

    it('changes an offer, takes its picture along to another one, and meets the codes of a change', async () => {
      const { offers } = sdkClient(system(), organisation.key);
      const update = (...o: Parameters<typeof offers.update>) => meet('updateOffer', offers.update(...o));
      const offerId = await byCard();
      const before = unwrap(await offers.get(offerId));
      const image = new Blob([new Uint8Array(await photographLikeJpeg({ width: 640, height: 480 }))]);
      const description = 'Line one\nand another line two.';
      unwrap(await update(offerId, { title: 'Changed by the SDK', description, image }));
      const after = unwrap(await offers.get(offerId));
      expect(after).toMatchObject({ title: 'Changed by the SDK', description, url: before.url });
      expect(new URL(after.image).pathname).not.toBe(new URL(before.image).pathname);
      const { image: _image, ...texts } = await request();
      const next = unwrap(await offers.create({ ...texts, image_offer_id: offerId }));
      const { image: taken } = unwrap(await offers.get(next.offer_id));
      expect(new URL(taken).pathname).toBe(new URL(after.image).pathname);

      const refused = await readFile(refusedPicture);
      expect(await update(offerId, { title: 'x', image: refused })).toMatchObject({
        code: 'E2',
        status: 200,
      });
      expect(await update(offerId, { title: '' })).toMatchObject({ code: 'E1', status: 400 });
      expect(await update(offerId, { title: 'x', environment: 'LIVE' })).toMatchObject({ status: 403 });
      expect(await update(999_999_999, { title: 'x' })).toMatchObject({ code: 'E1', status: 401 });
      expect(unwrap(await offers.get(offerId)).title).toBe('Changed by the SDK');
      const key = { idempotencyKey: randomUUID() };
      await update(offerId, { title: 'Mine' }, key);
      await expect(update(offerId, { title: 'Yours' }, key)).rejects.toMatchObject({ kind: 'key-reused' });
    });

    it('manages webhooks, and meets every code of them', async () => {
      const { webhooks } = sdkClient(system(), organisation.key);
      const url = (path: string) => `https://shop.example/${path}`;
      const made = unwrap(await meet('createWebhook', webhooks.create({ url: url('0') })));
      const { webhook_id: id } = made;
      await meet('createWebhook', webhooks.create({ url: 'no-url' }));
      await meet('createWebhook', webhooks.create({ url: url('0') }));
      for (let count = 1; count <= 10; count += 1)
        await meet('createWebhook', webhooks.create({ url: url(`${count}`) }));
      expect(unwrap(await meet('listWebhooks', webhooks.list())).webhooks).toHaveLength(10);

      const unknown = 'we_unknown';
      expect(unwrap(await meet('readWebhook', webhooks.get(id))).url).toBe(url('0'));
      await meet('readWebhook', webhooks.get(unknown));
      await meet('changeWebhook', webhooks.change(id, { url: url('new') }));
      await meet('changeWebhook', webhooks.change(id, { url: 'no-url' }));
      await meet('changeWebhook', webhooks.change(id, { url: url('1') }));
      await meet('changeWebhook', webhooks.change(unknown, { url: url('x') }));

      const { message_id } = unwrap(await meet('testWebhook', webhooks.sendTest(id)));
      await meet('testWebhook', webhooks.sendTest(unknown));
      // Events of the offers bought above may still arrive here.
      const listed = unwrap(await meet('listWebhookMessages', webhooks.messages(id, { limit: 100 })));
      expect(listed.data.map((message) => message.message_id)).toContain(message_id);
      await meet('listWebhookMessages', webhooks.messages(id, { limit: 101 }));
      await meet('listWebhookMessages', webhooks.messages(unknown));
      await meet('resendWebhookMessage', webhooks.resend(id, message_id));
      await meet('resendWebhookMessage', webhooks.resend(id, 'msg_unknown'));
      const since = new Date(Date.now() - hourMs);
      await meet('resendWebhookMessages', webhooks.resendSince(id, { since }));
      await meet('resendWebhookMessages', webhooks.resendSince(id, { since: 'yesterday' }));
      await meet('resendWebhookMessages', webhooks.resendSince(unknown, { since }));

      for (let count = 1; count <= 5; count += 1) await meet('rollWebhookSecret', webhooks.rollSecret(id));
      await meet('rollWebhookSecret', webhooks.rollSecret(unknown));
      await meet('disableWebhook', webhooks.disable(id));
      await meet('disableWebhook', webhooks.disable(unknown));
      await meet('testWebhook', webhooks.sendTest(id));
      await meet('resendWebhookMessage', webhooks.resend(id, message_id));
      await meet('resendWebhookMessages', webhooks.resendSince(id, { since }));
      await meet('enableWebhook', webhooks.enable(id));
      await meet('enableWebhook', webhooks.enable(unknown));
      await system().callAdmin('NOTIFIER', 'POST', '/admin/webhooks/disable', { id });
      await meet('enableWebhook', webhooks.enable(id));
      await meet('deleteWebhook', webhooks.delete(id));
      await meet('deleteWebhook', webhooks.delete(id));
    }, 120_000);

    it('goes on after a 503 by itself, with the same key', async () => {
      const ads = sdkClient(system(), organisation.key);
      try {
        // Billing tries twice itself: the first request of the SDK fails, and of the second only the first try.
        await setFaults(system(), 'stripe', { failCreate: 'down', failTimes: 3 });
        const result = await ads.offers.create(await request());
        expect(result).toMatchObject({ ok: true, value: { status: 'Awaiting Payment' }, replayed: false });
        expect(result.reply.attempts).toBeGreaterThan(1);
      } finally {
        await setFaults(system(), 'stripe', {});
      }
    }, 240_000);

    it('gives up when told to, and the key in the error goes on later: one offer', async () => {
      const ads = sdkClient(system(), organisation.key, { maxRetries: 0 });
      const offer = await request();
      let failed: unknown;
      try {
        await setFaults(system(), 'stripe', { failCreate: 'down' });
        failed = await ads.offers.create(offer).catch((error: unknown) => error);
      } finally {
        await setFaults(system(), 'stripe', {});
      }
      if (!(failed instanceof OfferAdsError)) throw new Error('it did not fail', { cause: failed });
      expect(failed).toMatchObject({ kind: 'unavailable', status: 503, idempotencyKey: expect.any(String) });
      reached.add('createOffer 503');
      const idempotencyKey = failed.idempotencyKey;
      // The circuit to the card provider may be open for a while.
      const first = await eventually(async () => unwrap(await ads.offers.create(offer, { idempotencyKey })), {
        timeoutMs: minuteMs,
      });
      const again = await eventually(() => ads.offers.create(offer, { idempotencyKey }));
      expect(again).toMatchObject({ ok: true, value: first, replayed: true, idempotencyKey });
    }, 240_000);

    it('sends a picture as a stream of unknown length', async () => {
      const ads = sdkClient(system(), organisation.key);
      const offer = await request();
      const idempotencyKey = randomUUID();
      // The client cannot repeat a stream.
      const created = await eventually(async () => {
        const image = (offer.image as Blob).stream();
        return unwrap(await ads.offers.create({ ...offer, image }, { idempotencyKey }));
      });
      expect(created.status).toBe('Awaiting Payment');
    });

    it('lists every offer once over pages, and texts with their line breaks as they were', async () => {
      const ads = sdkClient(system(), organisation.key);
      const all = [];
      for await (const offer of ads.offers.list({ limit: 2 })) all.push(offer);
      const onOnePage = unwrap(await ads.offers.list({ limit: 100 }).page()).data;
      expect(all.map(({ offer_id }) => offer_id)).toEqual(onOnePage.map(({ offer_id }) => offer_id));
      expect(all.length).toBeGreaterThan(4);
      const described = all
        .filter(({ title }) => title === 'By the SDK')
        .map(({ description }) => description);
      expect(new Set(described)).toEqual(new Set(['Line one\nand line two.']));
    });

    it('shows offers to a member and counts their views, with a placement key', async () => {
      const { callAdmin, state } = system();
      const { key } = await callAdmin<{ key: string }>('GATEWAY', 'POST', '/admin/placement-keys', {
        mode: 'TEST',
      });
      const patient = { baseUrl: state().gateway, timeoutMs: 20_000, deadlineMs: minuteMs };
      const community = createCommunityClient({ placementKey: key, ...patient });
      const [latitude, longitude] = london;
      const member = { latitude, longitude, gender: 'Female' } as const;
      await caller.create(await offerForm());

      const tokens = await eventually(async () => {
        const { placements } = (await community.placements(member)).value;
        expect(placements).not.toEqual([]);
        return placements.map(({ view_token }) => view_token);
      });
      reached.add('findPlacements 200');
      const { value } = await community.views(['forged', ...tokens, '"']);
      expect(value).toEqual({ accepted: tokens.length, refused: [0, tokens.length + 1] });
      reached.add('sendViews 200');

      await expect(community.placements({ ...member, latitude: 91 })).rejects.toMatchObject({
        kind: 'invalid-request',
        message: expect.stringContaining('latitude'),
      });
      const stranger = createCommunityClient({ placementKey: 'pk_place_test_nobody', ...patient });
      await expect(stranger.placements(member)).rejects.toMatchObject({ kind: 'unauthorised' });
    }, 240_000);

    it('meets E2 on pause and resume of an offer that has ended, and E3 on a change of it', async () => {
      await eventually(async () => expect((await act('pause', soonOver)).body.return_code).toBe('E2'), {
        timeoutMs: 2 * minuteMs,
      });
      expect((await act('resume', soonOver)).body.return_code).toBe('E2');
      const { offers } = sdkClient(system(), organisation.key);
      const late = await meet('updateOffer', offers.update(soonOver, { title: 'Too late' }));
      expect(late).toMatchObject({ code: 'E3', status: 409 });
    }, 240_000);

    it('has met every row of every table of codes, and every fault without a code, in these suites', () => {
      const faults = [401, 409, 422, 429, 500, 503].map((status) => `createOffer ${status}`);
      // An offer whose organisation has accepted no terms needs new terms, which would stop all other suites.
      const ofNewTerms = 'updateOffer E9 403';
      // The SDK sends no body that is too large, compressed or of another type.
      const isOfBody = (row: string) => /^\w+ E1 (413|415)$/.test(row);
      const wanted = [...everyRow(), ...faults].filter((row) => row !== ofNewTerms && !isOfBody(row));
      expect(wanted.filter((row) => !reached.has(row))).toEqual([]);
    });
  });
}
