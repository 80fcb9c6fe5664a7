/** The clients for Node against the whole system: installed from the gateway, the SDK after lost replies, and with every part of the API that it has functions for. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type CreateOfferRequest, createCommunityClient, OfferAdsError, unwrap } from '@offer-ads/sdk';
import { run } from '@offer-ads/sdk/cli/run';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { everyNode } from '../../packages/sdk/test/every-node.ts';
import type { Downloads } from '../../web/downloads/build.ts';
import {
  hourMs,
  inFuture,
  london,
  minuteMs,
  newOrganisation,
  type Organisation,
} from '../harness/advertiser.ts';
import { sdkClient } from '../harness/sdk-client.ts';
import { startShop } from '../harness/shop.ts';
import { setFaults } from '../harness/simulators.ts';
import type { TestSystem } from '../harness/test-system.ts';

const picture = fileURLToPath(new URL('../../docs/test-pictures/always-allowed.png', import.meta.url));

/** An advertiser's program in plain JavaScript. */
const program = `
import { readFile } from 'node:fs/promises';
import { createClient, unwrap } from '@offer-ads/sdk';

const ads = createClient({ apiKey: process.env.API_KEY, baseUrl: process.env.BASE_URL });
const { offer_id: offerId, status } = unwrap(
  await ads.offers.create({
    category_id: 1,
    title: 'From the gateway',
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

const nodes = await everyNode();

/** The environment in which npm, npx and what they start are run by this Node. */
const npmBy = (node: string): Record<string, string> => {
  const own = Object.entries(process.env).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(own), PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
};

export function describeSdk(system: () => TestSystem): void {
  describe('the SDK', () => {
    let organisation: Organisation;
    beforeAll(async () => {
      organisation = await newOrganisation(system());
    });

    const folders: string[] = [];
    afterAll(() => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });

    const newProject = () => {
      const folder = mkdtempSync(join(tmpdir(), 'offer-ads-project-'));
      folders.push(folder);
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      return folder;
    };

    const served = async (client: string) => {
      const { gateway } = system().state();
      const reply = await fetch(`${gateway}/downloads/index.json`);
      const { files } = (await reply.json()) as Downloads;
      return { ...files.find(({ name }) => name === client)!, gateway };
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

    it('reads categories, interests, the balance and its entries', async () => {
      const { categories, interests, balance, offers } = sdkClient(system(), organisation.key);
      expect((await categories.list()).value.categories.length).toBeGreaterThan(0);
      expect((await interests.list()).value.interests.length).toBeGreaterThan(0);
      unwrap(await offers.create({ ...(await request()), payment_method: 'B' }));
      const { balance: now } = unwrap(await balance.get());
      expect(unwrap(await balance.entries({ limit: 1 })).data[0]).toMatchObject({ balance_after: now });
      expect(await balance.entries({ limit: 101 })).toMatchObject({ ok: false, code: 'E1', status: 400 });
    });

    it('moves the test clock: an offer goes from Scheduled to Ended, and then the clock is reset', async () => {
      const { key } = await newOrganisation(system());
      const { offers, results, testClock } = sdkClient(system(), key);
      const period = { start_datetime: inFuture(hourMs), expiry_datetime: inFuture(2 * hourMs) };
      const offer = { ...(await request()), ...period, payment_method: 'B' } as const;
      const { offer_id: offerId } = unwrap(await offers.create(offer));
      const status = async () => unwrap(await offers.get(offerId)).offer_status;
      expect(await status()).toBe('Scheduled');
      expect(unwrap(await testClock.advance({ advance_seconds: 5_400 }))).toMatchObject({ status: 'ready' });
      expect(await status()).toBe('Active');
      expect(await testClock.reset()).toMatchObject({ ok: false, code: 'E2' });
      // The estimate knows the clock too.
      const estimate = (start: number) =>
        offers.estimate({
          location: london,
          radius: 10,
          start_datetime: inFuture(start),
          end_datetime: inFuture(24 * hourMs),
        });
      expect(await estimate(hourMs)).toMatchObject({ ok: false, code: 'E1' });
      expect(await estimate(2 * hourMs)).toMatchObject({ ok: true });
      unwrap(await testClock.advance({ advance_seconds: 5_400 }));
      expect(await status()).toBe('Ended');
      expect(await offers.pause(offerId)).toMatchObject({ ok: false, code: 'E2' });
      expect(await offers.update(offerId, { title: 'Too late' })).toMatchObject({ code: 'E3', status: 409 });
      expect(unwrap(await offers.analytics(offerId, 'all'))).toMatchObject({ offer_id: offerId });
      const series = { interval: 'all', granularity: 'hour' } as const;
      expect(unwrap(await offers.series(offerId, series))).toMatchObject({ bucket_seconds: 3_600 });
      expect(unwrap(await offers.results(offerId))).toMatchObject({ bought_seconds: 3_600, views: 0 });
      expect(unwrap(await results.get({ interval: '24h' }))).toMatchObject({ current: { views: 0 } });
      expect(unwrap(await offers.changes(offerId)).data).toMatchObject([{ what: 'created', by: 'this_key' }]);
      expect(unwrap(await offers.estimateCredit(offerId))).toMatchObject({ offer_id: offerId });
      expect(unwrap(await testClock.get())).toMatchObject({ offset_seconds: 10_800 });
      expect(unwrap(await testClock.reset())).toMatchObject({ offset_seconds: 0 });
    });

    it.each(nodes)(
      'buys an offer from an empty project that has installed it from the gateway on Node %s',
      async (_version, node) => {
        const { file, integrity, gateway } = await served('@offer-ads/sdk');
        const folder = newProject();
        const start = promisify(execFile);
        const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
        const by = { cwd: folder, env: npmBy(node) };
        await start('npm', ['install', `${gateway}/downloads/${file}`, ...quiet], by);
        expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toContain(integrity);
        writeFileSync(join(folder, 'buy.js'), program);
        const env = { BASE_URL: gateway, API_KEY: organisation.key, PICTURE: picture };
        const { stdout } = await start(node, ['buy.js'], { cwd: folder, env });
        const { offerId, status } = JSON.parse(stdout) as { offerId: number; status: string };
        expect(status).toBe('Scheduled');
        const offer = unwrap(await sdkClient(system(), organisation.key).offers.get(offerId));
        expect(offer.title).toBe('From the gateway');
      },
    );

    it.each(nodes)(
      'an assistant buys an offer by the MCP server that npx installs from the gateway on Node %s',
      async (_version, node) => {
        const { file, gateway } = await served('@offer-ads/mcp');
        const folder = newProject();
        const { key } = organisation;
        const client = new Client({ name: 'trial', version: '1' });
        const patient = { timeout: 120_000 };
        const server = {
          command: 'npx',
          args: ['--yes', `--package=${gateway}/downloads/${file}`, 'offer-ads-mcp'],
          cwd: folder,
          // A cache of its own, or the second Node would find what the first has installed.
          env: {
            ...npmBy(node),
            npm_config_cache: join(folder, 'cache'),
            OFFER_ADS_BASE_URL: gateway,
            OFFER_ADS_API_KEY: key,
          },
        };
        await client.connect(new StdioClientTransport(server), patient);
        const call = async (name: string, args: object): Promise<Record<string, unknown>> => {
          const { structuredContent } = await client.callTool({ name, arguments: { ...args } }, patient);
          return structuredContent as Record<string, unknown>;
        };
        try {
          const { tools } = await client.listTools();
          expect(tools.map(({ name }) => name)).toEqual(
            expect.arrayContaining(['estimate_price', 'create_offer']),
          );
          const target = { location: london, radius: 10, start_datetime: inFuture(hourMs) };
          const end = inFuture(2 * hourMs);
          const price = await call('estimate_price', { ...target, end_datetime: end });
          const bought = await call('create_offer', {
            ...target,
            expiry_datetime: end,
            category_id: 1,
            title: 'By npx',
            description: 'Two coffees for the price of one.',
            url: 'https://crown.example/offer',
            image_base64: readFileSync(picture, 'base64'),
            quote_id: price['quote_id'],
            max_cost: price['estimated_cost'],
            payment_method: 'B',
            idempotency_key: randomUUID(),
          });
          expect(bought).toMatchObject({ return_code: 'S1', status: 'Scheduled' });
          const offer = unwrap(await sdkClient(system(), key).offers.get(Number(bought['offer_id'])));
          expect(offer.title).toBe('By npx');
        } finally {
          await client.close();
        }
      },
      300_000,
    );

    it('changes an offer, and takes its picture along to another one', async () => {
      const { offers } = sdkClient(system(), organisation.key);
      const { offer_id: offerId } = unwrap(await offers.create(await request()));
      const before = unwrap(await offers.get(offerId));
      const image = new Blob([new Uint8Array(await photographLikeJpeg({ width: 640, height: 480 }))]);
      const description = 'Line one\nand another line two.';
      unwrap(await offers.update(offerId, { title: 'Changed by the SDK', description, image }));
      const after = unwrap(await offers.get(offerId));
      expect(after).toMatchObject({ title: 'Changed by the SDK', description, url: before.url });
      expect(new URL(after.image).pathname).not.toBe(new URL(before.image).pathname);
      const { image: _image, ...texts } = await request();
      const next = unwrap(await offers.create({ ...texts, image_offer_id: offerId }));
      const { image: taken } = unwrap(await offers.get(next.offer_id));
      expect(new URL(taken).pathname).toBe(new URL(after.image).pathname);
      const key = { idempotencyKey: randomUUID() };
      await offers.update(offerId, { title: 'Mine' }, key);
      await expect(offers.update(offerId, { title: 'Yours' }, key)).rejects.toMatchObject({
        kind: 'key-reused',
      });
    });

    it('manages webhooks', async () => {
      const { webhooks } = sdkClient(system(), organisation.key);
      const url = 'https://shop.example/hooks';
      const { webhook_id: id } = unwrap(await webhooks.create({ url }));
      expect(await webhooks.create({ url })).toMatchObject({ ok: false });
      unwrap(await webhooks.change(id, { url: `${url}/new` }));
      expect(unwrap(await webhooks.get(id)).url).toBe(`${url}/new`);
      const { message_id } = unwrap(await webhooks.sendTest(id));
      // Events of the offers bought above may still arrive here.
      const { data } = unwrap(await webhooks.messages(id, { limit: 100 }));
      expect(data.map((message) => message.message_id)).toContain(message_id);
      unwrap(await webhooks.resend(id, message_id));
      unwrap(await webhooks.resendSince(id, { since: new Date(Date.now() - hourMs) }));
      unwrap(await webhooks.rollSecret(id));
      unwrap(await webhooks.disable(id));
      expect(await webhooks.sendTest(id)).toMatchObject({ ok: false });
      unwrap(await webhooks.enable(id));
      unwrap(await webhooks.delete(id));
      expect(unwrap(await webhooks.list()).webhooks).toEqual([]);
      expect(await webhooks.get(id)).toMatchObject({ ok: false, code: 'E2' });
    });

    it('forwards the events of a TEST key to a server on this machine, and leaves no webhook behind', async () => {
      await using shop = await startShop();
      const ads = sdkClient(system(), organisation.key);
      const ctrlC = new AbortController();
      let out = '';
      const listening = run(['webhooks', 'listen', '--forward-to', shop.url], {
        env: { OFFER_ADS_API_KEY: organisation.key, OFFER_ADS_BASE_URL: system().state().gateway },
        out: (text) => (out += text),
        err: (text) => (out += text),
        now: () => new Date(),
        signal: ctrlC.signal,
        client: () => ads,
      });
      const secret = await eventually(
        async () => /whsec_\S+/.exec(out)?.[0] ?? Promise.reject(new Error(out)),
      );
      shop.secrets.push(secret);
      const { offer_id: offerId } = unwrap(
        await ads.offers.create({ ...(await request()), payment_method: 'B' }),
      );
      const ofOffer = { type: 'offer.created', data: expect.objectContaining({ offer_id: offerId }) };
      await eventually(() => expect(shop.events).toContainEqual(expect.objectContaining(ofOffer)));
      ctrlC.abort();
      expect([await listening, unwrap(await ads.webhooks.list()).webhooks]).toEqual([0, []]);
    });

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
      const idempotencyKey = failed.idempotencyKey;
      // The circuit to the card provider may be open for a while.
      const first = await eventually(async () => unwrap(await ads.offers.create(offer, { idempotencyKey })), {
        timeoutMs: minuteMs,
      });
      const again = await eventually(() => ads.offers.create(offer, { idempotencyKey }));
      expect(again).toMatchObject({ ok: true, value: first, replayed: true, idempotencyKey });
    }, 240_000);

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
      const now = { ...(await request()), start_datetime: inFuture(0), payment_method: 'B' } as const;
      unwrap(await sdkClient(system(), organisation.key).offers.create(now));

      const tokens = await eventually(async () => {
        const { placements } = (await community.placements(member)).value;
        expect(placements).not.toEqual([]);
        return placements.map(({ view_token }) => view_token);
      });
      const { value } = await community.views(['forged', ...tokens, '"']);
      expect(value).toEqual({ accepted: tokens.length, refused: [0, tokens.length + 1] });

      await expect(community.placements({ ...member, latitude: 91 })).rejects.toMatchObject({
        kind: 'invalid-request',
        message: expect.stringContaining('latitude'),
      });
      const stranger = createCommunityClient({ placementKey: 'pk_place_test_nobody', ...patient });
      await expect(stranger.placements(member)).rejects.toMatchObject({ kind: 'unauthorised' });
    }, 240_000);
  });
}
