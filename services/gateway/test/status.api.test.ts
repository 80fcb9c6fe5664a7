import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type FakeUpstream, startFakeUpstream } from './forwarding/fake-upstream.ts';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
let moderation: FakeUpstream;

beforeAll(async () => {
  moderation = await startFakeUpstream();
  gateway = await startGatewayUnderTest({ settings: { STATUS_TARGETS: `moderation=${moderation.url}` } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await moderation[Symbol.asyncDispose]();
});

const ready: FakeUpstream['respond'] = (_req, res) => void res.end('{}');
const notReady: FakeUpstream['respond'] = (_req, res) =>
  void res.writeHead(503).end('{"problems":["postgres://secret@10.1.2.3"]}');
beforeEach(() => {
  const { offers, pricing, billing, notifier } = gateway;
  for (const service of [offers, pricing, billing, notifier, moderation]) service.respond = ready;
});

type Body = { overall: string; dependencies: { name: string; state: string; since: string }[] };

/** What was kept of the last look is gone within moments; so is what a busy machine could not answer within its second. */
async function eventuallyOverall(overall: string): Promise<Body> {
  return eventually(async () => {
    const { body } = await gateway.call('/status.json', { once: true });
    expect(body).toMatchObject({ overall });
    return body as Body;
  });
}

describe('/status', () => {
  it('tells a machine of each part, and answers 200 while the public API can be served', async () => {
    const { dependencies } = await eventuallyOverall('operational');
    expect(dependencies.map(({ name }) => name)).toEqual([
      'postgres',
      'rabbitmq',
      'offers',
      'pricing',
      'billing',
      'notifier',
      'moderation',
    ]);
    for (const dependency of dependencies) {
      expect(dependency).toEqual({
        name: expect.any(String),
        state: 'up',
        since: expect.stringMatching(/^\d{4}-.*Z$/),
        responseMs: expect.any(Number),
      });
    }
    await eventually(async () => {
      const asked = await gateway.call('/status', {
        headers: { accept: 'application/json' },
        once: true,
      });
      expect([asked.status, asked.body]).toEqual([200, expect.objectContaining({ overall: 'operational' })]);
      expect(asked.headers.get('vary')).toMatch(/accept/i);
    });
  });

  it('is degraded, and still 200, without what no request waits for', async () => {
    gateway.notifier.respond = notReady;
    await eventuallyOverall('degraded');
    await eventually(async () => expect((await gateway.call('/status', { once: true })).status).toBe(200));
  });

  it('is down, and 503, without a service that an endpoint needs, and never says why', async () => {
    gateway.pricing.respond = notReady;
    await eventually(async () => {
      const { dependencies } = await eventuallyOverall('down');
      const down = dependencies.filter(({ state }) => state === 'down');
      expect(down.map(({ name }) => name)).toEqual(['pricing']);
    });
    const page = await gateway.call('/status', { once: true });
    const machine = await gateway.call('/status.json', { once: true });
    expect([page.status, machine.status]).toEqual([503, 503]);
    expect(page.headers.get('retry-after')).toBe('2');
    const told = `${page.body as string}${JSON.stringify(machine.body)}`;
    expect(told).not.toMatch(/secret|10\.1\.2\.3|127\.0\.0\.1|answered 503/);
    gateway.pricing.respond = ready;
    await eventuallyOverall('operational');
  });

  it('shows a page for a person that can be read on a phone and runs nothing', async () => {
    const { body, headers } = await eventually(async () => {
      const page = await gateway.call('/status', { headers: { accept: 'text/html,*/*' }, once: true });
      expect(page.body).toContain('Everything works');
      return page;
    });
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; img-src 'self';.*frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toContain('name="viewport"');
    expect(body).not.toMatch(/<script|style=/);
    for (const [, address = ''] of (body as string).matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect([address, (await gateway.call(address)).status]).toEqual([address, 200]);
    }
  });

  it('cannot be used to hammer: a hundred readers ask the services at most twice, and no limit counts them', async () => {
    let asked = 0;
    gateway.offers.respond = (_req, res) => {
      asked += 1;
      res.end('{}');
    };
    const { replies, tookMs } = await eventually(async () => {
      const ip = unusedIp();
      asked = 0;
      const startedAt = performance.now();
      const replies = await Promise.all(
        Array.from({ length: 100 }, () => gateway.call('/status.json', { ip, once: true })),
      );
      const tookMs = performance.now() - startedAt;
      expect(replies.every(({ status }) => status === 200)).toBe(true);
      return { replies, tookMs };
    });
    // Once in two seconds, and readers whom a busy machine keeps waiting are there for longer.
    expect(asked).toBeLessThanOrEqual(2 + Math.floor(tookMs / 2_000));
    expect(replies[0]?.headers.has('x-ratelimit-limit')).toBe(false);
  });
});
