import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testClock } from '@offer-ads/testing/clock';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type FakeUpstream, startFakeUpstream } from './forwarding/fake-upstream.ts';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from './gateway-under-test.ts';

const open = new AsyncDisposableStack();
let gateway: GatewayUnderTest;
let moderation: FakeUpstream;
/** The time of the status, which is kept for two seconds. */
let elapsedMs = 0;
const clock = testClock();

beforeAll(async () => {
  moderation = open.use(await startFakeUpstream());
  const settings = { STATUS_TARGETS: `moderation=${moderation.url}` };
  gateway = open.use(
    await startGatewayUnderTest({ clock, settings, overrides: { elapsedMs: () => elapsedMs } }),
  );
});
afterAll(() => open.disposeAsync());
beforeEach(() => {
  gateway.resetUpstreams();
  elapsedMs += 2_000;
});

const notReady: FakeUpstream['respond'] = (_req, res) =>
  void res.writeHead(503).end('{"problems":["postgres://secret@10.1.2.3"]}');
const get = (path: string, headers: Record<string, string> = {}) =>
  gateway.call(path, { headers, once: true });

type Body = { overall: string; dependencies: { name: string; state: string; since: string }[] };

/** Looks again if a busy machine did not answer a probe within its second. */
async function eventuallyOverall(overall: string): Promise<Body> {
  return eventually(async () => {
    elapsedMs += 2_000;
    const { body } = await get('/status.json');
    expect(body).toMatchObject({ overall });
    return body as Body;
  });
}

describe('/status', () => {
  it('lists each dependency as JSON, and is 200 while the public API can be served', async () => {
    const { dependencies } = await eventuallyOverall('operational');
    const names = ['postgres', 'rabbitmq', 'offers', 'pricing', 'billing', 'notifier', 'moderation'];
    const since: unknown = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(dependencies).toEqual(
      names.map((name) => ({ name, state: 'up', since, responseMs: expect.any(Number) })),
    );
    const asked = await get('/status', { accept: 'application/json' });
    expect([asked.status, asked.body]).toEqual([200, expect.objectContaining({ overall: 'operational' })]);
    expect(asked.headers.get('vary')).toMatch(/accept/i);
  });

  it('is degraded, and still 200, without a dependency that no request waits for', async () => {
    gateway.notifier.respond = notReady;
    await eventuallyOverall('degraded');
    expect((await get('/status')).status).toBe(200);
  });

  it('is down, and 503, without a service that an endpoint needs, and never tells the reason', async () => {
    gateway.pricing.respond = notReady;
    await eventually(async () => {
      const { dependencies } = await eventuallyOverall('down');
      expect(dependencies.filter(({ state }) => state === 'down')).toMatchObject([{ name: 'pricing' }]);
    });
    const [page, json] = [await get('/status'), await get('/status.json')];
    expect([page.status, json.status, page.headers.get('retry-after')]).toEqual([503, 503, '2']);
    const shown = `${page.body as string}${JSON.stringify(json.body)}`;
    expect(shown).not.toMatch(/secret|10\.1\.2\.3|127\.0\.0\.1|answered 503/);
    clock.advance(90_000);
    gateway.pricing.reset();
    await eventuallyOverall('operational');
    // The end is stored after the answer.
    await eventually(async () => {
      elapsedMs += 2_000;
      const { body } = await get('/status.json');
      expect(body).toMatchObject({ outages: [{ name: 'pricing', endedAt: expect.any(String) as unknown }] });
    });
  });

  it('is a page for people that can be read on a phone and runs no script', async () => {
    await eventuallyOverall('operational');
    const { body, headers } = await get('/status', { accept: 'text/html,*/*' });
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; img-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toContain('Everything works');
    expect(body).toContain('name="viewport"');
    expect(body).not.toMatch(/<script|style=/);
    for (const [, address = ''] of (body as string).matchAll(/(?:src|href)="([^"]+)"/g))
      expect([address, (await gateway.call(address)).status]).toEqual([address, 200]);
  });

  it('asks the services once in two seconds for a hundred readers, and no limit counts these', async () => {
    let probes = 0;
    gateway.offers.respond = (_req, res) => {
      probes += 1;
      res.end('{}');
    };
    const ip = unusedIp();
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => gateway.call('/status.json', { ip, once: true })),
    );
    expect(probes).toBe(1);
    expect(replies[0]?.headers.has('x-ratelimit-limit')).toBe(false);
    for (const { status } of replies) expect([200, 503]).toContain(status);
  });
});
