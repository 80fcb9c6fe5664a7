/** What holds for requests to every endpoint, and how forms may arrive. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { create, createdId, form, formOf, startingNow } from './forms.ts';
import { offersUnderTest } from './offers-under-test.ts';

const under = offersUnderTest();

const unauthorised = { status: 401, body: { message: 'Unauthorised' } };
const offerNotFound = {
  status: 401,
  body: { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' },
};
const portalNotFound = { status: 404, body: { message: 'Not found' } };

/** The endpoints of one offer, with their answer for an offer that the caller does not have. */
const ofOneOffer = [
  ['GET', '/offers/:id', offerNotFound],
  ['POST', '/offers/:id/pause', offerNotFound],
  ['POST', '/offers/:id/resume', offerNotFound],
  ['PATCH', '/offers/:id', offerNotFound],
  ['DELETE', '/offers/:id', offerNotFound],
  ['GET', '/offers/:id/analytics?interval=all', unauthorised],
  ['GET', '/offers/:id/analytics/series?interval=all&granularity=day', offerNotFound],
  ['GET', '/offers/:id/results', offerNotFound],
  ['GET', '/offers/:id/changes', offerNotFound],
  ['POST', '/offers/:id/credit-estimate', offerNotFound],
  ['GET', '/portal/offers/:id', portalNotFound],
  ['GET', '/portal/offers/:id/credit', portalNotFound],
  ['GET', '/portal/offers/:id/analytics/series?interval=all', portalNotFound],
  ['POST', '/portal/offers/:id/simulated-traffic', portalNotFound],
] as const;
/** The portal shows its people what became of an offer that was deleted. */
const showsDeleted = new Set<string>([
  '/portal/offers/:id',
  '/portal/offers/:id/analytics/series?interval=all',
]);

const everyEndpoint = [
  ['GET', '/categories'],
  ['GET', '/interests'],
  ['POST', '/offers'],
  ['GET', '/offers?environment=test'],
  ['GET', '/results'],
  ['GET', '/portal/offers'],
  ['GET', '/portal/creations/a-key'],
  ['POST', '/offer-groups'],
  ['GET', '/offer-groups/:id'],
  ['GET', '/offer-groups/:id/analytics/series?interval=7d&granularity=day'],
  ['POST', '/offer-groups/:id/pause'],
  ['POST', '/offer-groups/:id/resume'],
  ['PATCH', '/offer-groups/:id'],
  ['DELETE', '/offer-groups/:id'],
  ['GET', '/portal/offer-groups/:id'],
  ['GET', '/portal/offer-groups/:id/analytics/series?interval=all'],
  ['GET', '/portal/offer-groups/:id/analytics.csv?interval=all'],
  ...ofOneOffer.map(([method, path]) => [method, path] as const),
] as const;

function ask(method: string, path: string, id: number | string, o = {}) {
  const simulated = path.endsWith('/simulated-traffic') && { json: { views: 1, clicks: 0 } };
  const edited = method === 'PATCH' && { body: formOf({ title: 'Three for one' }) };
  return under.call(method, path.replace(':id', String(id)), { ...simulated, ...edited, ...o });
}

describe.each(ofOneOffer)('%s %s', (method, path, notFound) => {
  it('is told nothing of ids that are no offer, nor of offers of others, of the other mode, and deleted ones', async () => {
    const theirs = await createdId(under, startingNow, { caller: { organisationId: 2 } });
    const deleted = await createdId(under, startingNow);
    await under.call('DELETE', `/offers/${deleted}`);
    const mine = await createdId(under, startingNow);
    // An escape that means nothing, as the gateway passes it on; offer-id.test.ts has all other texts that are no id.
    const noIds = ['x', '2147483648', '%25FF', `00${mine}`];
    const gone = showsDeleted.has(path) ? [] : [deleted];
    for (const id of [...noIds, 2_000_000_000, theirs, ...gone])
      expect([id, await ask(method, path, id)]).toMatchObject([id, notFound]);
    expect(await ask(method, path, mine, { caller: { mode: 'LIVE' } })).toMatchObject(notFound);
    expect((await ask(method, path, mine)).body).not.toEqual(notFound.body);
  });
});

it.each(everyEndpoint)('%s %s is 401 without a signed caller context', async (method, path) => {
  for (const context of ['', 'x', 'x.y']) {
    const { status, body } = await under.call(method, path.replace(':id', '1'), {
      headers: { 'x-caller-context': context },
    });
    expect({ status, body }).toEqual(unauthorised);
  }
});

describe('HEAD and OPTIONS', () => {
  const get = (method: string, path: string) =>
    fetch(under.offers.url + path, { method, headers: signedCaller({ audience: 'offers' }) });

  it.each(['HEAD', 'OPTIONS'])('%s changes nothing', async (method) => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    for (const path of ['/offers', `/offers/${id}`, `/offers/${id}/pause`, `/offers/${id}/resume`])
      expect((await get(method, path)).status).toBeLessThan(500);
    expect(await under.events()).toEqual([]);
  });
});

it('uploads that one organisation sends slowly leave room for others; its next one is 429 with Retry-After', async () => {
  /** Announces the largest picture, and sends hardly any of it. */
  const sendSlowly = () => {
    const sending = request(`${under.offers.url}/offers`, {
      method: 'POST',
      headers: {
        ...headersFor('parked', 'multipart/form-data; boundary=frontier', 77),
        'Content-Length': 5_242_880,
      },
    });
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>;
    answer.catch(() => {});
    sending.on('error', () => {}).write('--frontier\r\n');
    return { answer, end: () => sending.destroy() };
  };
  const uploads = Array.from({ length: 12 }, sendSlowly);
  const [refused] = await Promise.any(uploads.map(({ answer }) => answer));
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '2']);
  expect((await create(under)).status).toBe(200);
  for (const upload of uploads) upload.end();
});

/** The usual form as bytes, with the content type that names its boundary. */
async function usualForm(): Promise<{ body: Buffer; type: string }> {
  const message = new Response(await form());
  return { body: Buffer.from(await message.arrayBuffer()), type: message.headers.get('content-type') ?? '' };
}

function headersFor(key: string, type: string, organisationId = 1): Record<string, string> {
  const caller = signedCaller({ audience: 'offers', organisationId });
  return { ...caller, 'Idempotency-Key': key, 'Content-Type': type };
}

describe('a form', () => {
  it('may wait for 100 Continue', async () => {
    const { body, type } = await usualForm();
    const outgoing = request(`${under.offers.url}/offers`, {
      method: 'POST',
      headers: { ...headersFor('expecting', type), Expect: '100-continue', 'Content-Length': body.length },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  it('that breaks off leaves nothing behind, and its key is free', async () => {
    const { body, type } = await usualForm();
    const headers = Object.entries({
      ...headersFor('broken', type),
      'Content-Length': body.length,
      Host: 'x',
    });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = connect(Number(new URL(under.offers.url).port), '127.0.0.1');
    socket.write(`POST /offers HTTP/1.1\r\n${head}\r\n`);
    socket.write(body.subarray(0, body.length - 100));
    await nextTurn();
    socket.destroy();
    await once(socket, 'close');
    expect(await create(under, {}, { key: 'broken' })).toMatchObject({ status: 200 });
    expect(under.otherServices.billing.charges()).toBe(1);
  });
});
