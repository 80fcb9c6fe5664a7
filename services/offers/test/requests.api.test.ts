/** What holds for requests to any endpoint, and how forms may arrive. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { create, form, usualParts } from './forms.ts';
import { type OffersUnderTest, patiently, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  await under.clearEvents();
});

describe('X-Request-Id', () => {
  const id = 'a-request.id_of-64-characters';

  it.each([
    ['an answer', 'GET', '/categories'],
    ['a refusal', 'POST', '/offers/x/pause'],
    ['a fault of the form', 'POST', '/offers'],
    ['a route that is none', 'GET', '/nothing'],
  ])('of the caller stands on %s', async (_, method, path) => {
    const answer = await under.call(method, path, { headers: { 'X-Request-Id': id } });
    expect(answer.headers.get('x-request-id')).toBe(id);
  });

  it.each([undefined, 'short', 'x'.repeat(65), 'has a space', '<script>alert(1)</script>'])(
    'is made when it is %j',
    async (sent) => {
      const headers = sent === undefined ? {} : { 'X-Request-Id': sent };
      const answers = [
        await under.call('GET', '/categories', { headers }),
        await under.call('GET', '/categories', { headers }),
      ];
      const ids = answers.map((answer) => answer.headers.get('x-request-id') ?? '');
      expect(new Set(ids).size).toBe(2);
      for (const made of ids) expect(made).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('forms that arrive slowly', () => {
  /** Says that it will send the largest picture, and sends hardly any of it. */
  function park(organisationId: number) {
    const sending = request(`${under.offers.url}/offers`, {
      method: 'POST',
      headers: {
        ...signedCaller({ audience: 'offers', organisationId }),
        'Content-Type': 'multipart/form-data; boundary=frontier',
        'Content-Length': 5_242_880,
        'Idempotency-Key': 'parked',
      },
    });
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>;
    answer.catch(() => {});
    sending.on('error', () => {}).write('--frontier\r\n');
    return { answer, end: () => sending.destroy() };
  }

  it('of one organisation leave room for those of others, and it is told with 429 when to come again', async () => {
    const [parked, refused] = [Array.from({ length: 12 }, () => park(77)), [] as IncomingMessage[]];
    await Promise.any(parked.map(({ answer }) => answer)).then(([response]) => refused.push(response));
    expect(refused[0]?.statusCode).toBe(429);
    expect(refused[0]?.headers['retry-after']).toBe('2');
    expect((await create(under)).status).toBe(200);
    for (const one of parked) one.end();
  });
});

describe('HEAD and OPTIONS', () => {
  const get = (method: string, path: string) =>
    fetch(under.offers.url + path, { method, headers: signedCaller({ audience: 'offers' }) });

  it('HEAD is answered like GET, without a body', async () => {
    for (const path of [
      '/categories',
      '/interests',
      '/offers?environment=test',
      '/offers?environment=live',
    ]) {
      const [head, whole] = [await get('HEAD', path), await get('GET', path)];
      expect([head.status, await head.text()]).toEqual([whole.status, '']);
      expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'));
    }
  });

  it('neither creates, pauses, resumes or deletes anything', async () => {
    for (const method of ['HEAD', 'OPTIONS']) {
      for (const path of ['/offers', '/offers/1', '/offers/1/pause', '/offers/1/resume'])
        expect((await get(method, path)).status).toBeLessThan(500);
    }
    expect(await under.events()).toEqual([]);
  });
});

/** The usual form as bytes, with the content type that names its boundary. */
async function usualForm(): Promise<{ body: Buffer; type: string }> {
  const message = new Response(await form());
  return { body: Buffer.from(await message.arrayBuffer()), type: message.headers.get('content-type') ?? '' };
}

function headersFor(key: string, type: string): Record<string, string> {
  return { ...signedCaller({ audience: 'offers' }), 'Idempotency-Key': key, 'Content-Type': type };
}

/** Sends the pieces one after the other, chunked, because no length is announced. */
function drip(pieces: readonly Buffer[], headers: Record<string, string>) {
  return patiently(() => dripOnce(pieces, headers));
}

async function dripOnce(pieces: readonly Buffer[], headers: Record<string, string>) {
  const outgoing = request(`${under.offers.url}/offers`, { method: 'POST', headers });
  const answered = once(outgoing, 'response');
  for (const piece of pieces) {
    outgoing.write(piece);
    // So that each travels as a chunk of its own.
    await nextTurn();
  }
  outgoing.end();
  const [response] = (await answered) as [Parameters<typeof text>[0] & { statusCode: number }];
  return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown };
}

function pieces(body: Buffer, bytes: number): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / bytes) }, (_, index) =>
    body.subarray(index * bytes, (index + 1) * bytes),
  );
}

describe('a form', () => {
  it.each([64, 1_000, 65_536])('may come in chunks of %i bytes without its length', async (bytes) => {
    const { body, type } = await usualForm();
    const answer = await drip(pieces(body, bytes), headersFor(`drip-${bytes}`, type));
    expect(answer).toMatchObject({ status: 200, body: { return_code: 'S1' } });
  });

  it('is the same form in whatever chunks it comes', async () => {
    const { body, type } = await usualForm();
    const [whole, dripped] = [
      await drip([body], headersFor('same', type)),
      await drip(pieces(body, 500), headersFor('same', type)),
    ];
    expect(dripped).toEqual(whole);
  });

  it('may wait to be asked for', async () => {
    const { body, type } = await usualForm();
    const outgoing = request(`${under.offers.url}/offers`, {
      method: 'POST',
      headers: { ...headersFor('expecting', type), Expect: '100-continue', 'Content-Length': body.length },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [{ statusCode: number } & NodeJS.ReadableStream];
    response.resume();
    expect(response.statusCode).toBe(200);
  });

  it('without a body is refused', async () => {
    const answer = await drip([], headersFor('nothing', 'multipart/form-data; boundary=b'));
    expect(answer).toMatchObject({
      status: 400,
      body: { return_code: 'E1', message: 'The body is not complete multipart/form-data' },
    });
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
    expect(await drip([body], headersFor('broken', type))).toMatchObject({ status: 200 });
    expect(under.otherServices.billing.charges()).toBe(1);
  });

  it('of another encoding of the whole body is refused', async () => {
    const headers = headersFor('form', 'application/x-www-form-urlencoded');
    const body = new URLSearchParams({ title: String(usualParts['title']) }).toString();
    expect(await drip([Buffer.from(body)], headers)).toMatchObject({
      status: 400,
      body: { return_code: 'E1', message: 'The body must be multipart/form-data with a boundary' },
    });
  });
});
