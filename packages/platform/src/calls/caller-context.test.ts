import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallerContext, callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { type HttpServer, startHttpServer } from '../http/server.ts';
import { systemClock } from '../process/clock.ts';
import { createLogger } from '../telemetry/logging.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { callerOf, requireCaller, signCallerContext } from './caller-context.ts';

const secret = 'the-secret-of-offers-0123456789-abcdef';
const oldSecret = 'the-secret-before-it-0123456789-abcdef';
const context: CallerContext = {
  audience: 'offers',
  validUntil: Date.now() + 60_000,
  organisationId: 7,
  mode: 'TEST',
  personId: 3,
  mailbox: 'a-mailbox',
  network: 'a-network',
  keyId: 9,
  currency: 'GBP',
  country: 'GB',
  tradingName: 'Café Ünïcode',
  quota: { perPerson: 100, perOrganisation: 500 },
  termsAccepted: true,
  organisationApproved: true,
};

let server: HttpServer;
beforeAll(async () => {
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'offers', level: 'silent' }),
    metrics: createMetrics('offers'),
    clock: systemClock,
    readiness: async () => [],
    routes: (app) => {
      app.use(requireCaller({ secret: `${secret},${oldSecret}`, audience: 'offers', clock: systemClock }));
      app.get('/who', (req, res) => {
        res.json(callerOf(req));
      });
    },
  });
});
afterAll(async () => server[Symbol.asyncDispose]());

async function who(token?: string): Promise<{ status: number; body: unknown }> {
  const headers = token === undefined ? {} : { [callerContextHeader]: token };
  const response = await fetch(`${server.url}/who`, { headers });
  return { status: response.status, body: await response.json() };
}

const refused = { status: 401, body: { message: 'Unauthorised' } };

describe('the caller context', () => {
  it('reaches the handler as the gateway signed it', async () => {
    expect(await who(signCallerContext(secret, context))).toEqual({ status: 200, body: context });
  });

  it('is good under a secret that is being replaced, whichever its signer puts first', async () => {
    for (const signing of [oldSecret, `${oldSecret},${secret}`, `${secret},${oldSecret}`])
      expect((await who(signCallerContext(signing, context))).status).toBe(200);
  });

  it.each([
    ['is missing', undefined],
    ['is not a token', 'nonsense'],
    ['is signed with another secret', signCallerContext(`${secret}!`, context)],
    ['is for another audience', signCallerContext(secret, { ...context, audience: 'pricing' })],
    ['has expired', signCallerContext(secret, { ...context, validUntil: Date.now() - 1 })],
    ['does not fit the schema', signCallerContext(secret, { ...context, organisationId: -1 })],
    ['has a segment more', `${signCallerContext(secret, context)}.more`],
    ['ends with a dot', `${signCallerContext(secret, context)}.`],
    ['has its signature in another spelling', `${signCallerContext(secret, context)}=`],
  ])('is refused with 401 when it %s', async (_case, token) => {
    expect(await who(token)).toEqual(refused);
  });

  it('is refused when its payload was changed under a genuine signature', async () => {
    const [, signature] = signCallerContext(secret, context).split('.');
    const forged = Buffer.from(JSON.stringify({ ...context, organisationId: 8 })).toString('base64url');
    expect(await who(`${forged}.${signature}`)).toEqual(refused);
  });
});
