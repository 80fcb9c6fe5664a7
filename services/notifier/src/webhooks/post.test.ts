import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { certificateFor } from '@offer-ads/testing/certificate';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { answerWith, type Receiver, startReceiver } from '../../test/webhooks/receiver.ts';
import { createPoster, type PostResult } from './post.ts';
import { isPublicAddress } from './public-address.ts';

const certificate = certificateFor('shop.example');
const body = '{"type":"offer.created"}';

/** Loopback stands for the public internet here, and for nothing else. */
const isPublic = (address: string) => address === '127.0.0.1' || isPublicAddress(address);

let shop: Receiver;
beforeEach(async () => {
  shop = await startReceiver({ certificate });
});
afterEach(async () => {
  await shop[Symbol.asyncDispose]();
});

type Changes = Parameters<typeof createPoster>[0];
const posterWith = (changes: Changes = {}) =>
  createPoster({ resolve: async () => ['127.0.0.1'], isPublic, authorities: certificate.cert, ...changes });
const toShop = (changes: Changes = {}, host = 'shop.example'): Promise<PostResult> =>
  posterWith(changes)({
    url: `https://${host}:${shop.port}/hooks?from=offers`,
    reach: 'public',
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
    body,
  });
const notPublic = { status: undefined, problem: 'the address is not on the public internet' };

it('a webhook is posted with its headers to the name, and the first kilobyte of the answer is kept', async () => {
  shop.behave = answerWith(202, { body: `${'a'.repeat(1_023)}äb` });
  const result = await toShop();
  expect(result).toMatchObject({ status: 202 });
  expect(result).toHaveProperty('answer', `${'a'.repeat(1_023)}�`);
  expect(shop.received).toEqual([
    {
      path: '/hooks?from=offers',
      headers: expect.objectContaining({ host: `shop.example:${shop.port}`, 'webhook-id': 'msg_1' }),
      body,
    },
  ]);
});

describe('no way into the house', () => {
  it.each([
    '10.0.0.1',
    '127.0.0.2',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fd00:ec2::254',
    '0.0.0.0',
  ])('a name that resolves to %s is refused without a connection', async (address) => {
    expect(await toShop({ resolve: async () => [address] })).toMatchObject(notPublic);
    expect(shop.connections()).toBe(0);
  });

  it('a name with one public and one private address is refused, whichever comes first', async () => {
    expect(await toShop({ resolve: async () => ['127.0.0.1', '10.0.0.1'] })).toMatchObject(notPublic);
    expect(await toShop({ resolve: async () => ['10.0.0.1', '127.0.0.1'] })).toMatchObject(notPublic);
    expect(shop.connections()).toBe(0);
  });

  it('a name that turns private between two attempts is refused at the second', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const resolve = async () => answers.shift() ?? [];
    expect(await toShop({ resolve })).toMatchObject({ status: 200 });
    expect(await toShop({ resolve })).toMatchObject(notPublic);
    expect(shop.connections()).toBe(1);
  });

  it('a name is resolved once, so a name that turns private between check and connection stays where it was', async () => {
    let asked = 0;
    const resolve = async () => [(asked += 1) === 1 ? '127.0.0.1' : '10.0.0.1'];
    expect(await toShop({ resolve })).toMatchObject({ status: 200 });
    expect(asked).toBe(1);
  });

  it.each([
    '127.0.0.2',
    '2130706434',
    '0x7f000002',
    '017700000002',
    '0177.0.0.2',
    '127.2',
    '169.254.169.254',
    '[::ffff:127.0.0.1]',
    '[::1]',
  ])('the address %s in a URL is refused, and no name is asked for', async (host) => {
    const resolve = () => Promise.reject(new Error('must not be called'));
    expect(await toShop({ resolve }, host)).toMatchObject(notPublic);
    expect(shop.connections()).toBe(0);
  });

  it.each(['user@shop.example', 'user:password@shop.example', 'shop.example@127.0.0.1'])(
    'a URL with credentials is refused: %s',
    async (host) => {
      expect(await toShop({}, host)).toMatchObject({ problem: 'the address contains a user or a password' });
      expect(shop.connections()).toBe(0);
    },
  );

  it('http is refused, and so are ports of other services', async () => {
    const post = posterWith();
    const request = { reach: 'public', headers: {}, body } as const;
    expect(await post({ ...request, url: `http://shop.example:${shop.port}/` })).toMatchObject({
      problem: 'the address is not https',
    });
    expect(await post({ ...request, url: 'https://shop.example:25/' })).toMatchObject({
      problem: 'the port is neither 443 nor 1024 or more',
    });
    expect(shop.connections()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('a redirect by %i is an answer and is not followed', async (status) => {
    await using inside = await startReceiver();
    shop.behave = answerWith(status, { headers: { location: `http://127.0.0.1:${inside.port}/admin` } });
    expect(await toShop()).toMatchObject({ status });
    expect(inside.connections()).toBe(0);
    expect(shop.connections()).toBe(1);
  });

  it('a proxy of the environment is not used', async () => {
    await using proxy = await startReceiver();
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await toShop()).toMatchObject({ status: 200 });
    } finally {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
    expect(proxy.connections()).toBe(0);
  });

  it('development may use http and loopback in TEST mode, by a setting', async () => {
    await using local = await startReceiver();
    const post = createPoster();
    const url = `http://127.0.0.1:${local.port}/`;
    expect(await post({ url, reach: 'any', headers: {}, body })).toMatchObject({ status: 200 });
    expect(await post({ url, reach: 'public', headers: {}, body })).toMatchObject({ status: undefined });
    expect(local.connections()).toBe(1);
  });
});

describe('a receiver that misbehaves', () => {
  /** Short, so that the test need not wait; the real one is ten seconds. */
  const hasty = { deadlineMs: 300 };
  const timedOut = { status: undefined, problem: 'no answer came within 0.3 s' };
  const expectLetGo = () => eventually(() => expect(shop.open()).toBe(0));
  const dripping =
    (drop: string, first = drop): Receiver['behave'] =>
    (socket) => {
      socket.write(first);
      const timer = setInterval(() => socket.write(drop), 20);
      socket.on('close', () => clearInterval(timer));
    };

  it('and sends an endless answer is read to 4 KB and left', async () => {
    let sent = 0;
    shop.behave = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`)) sent += 1_024;
      };
      socket.on('drain', more);
      more();
    };
    expect(await toShop()).toMatchObject({ status: 200, answer: 'x'.repeat(1_024) });
    await expectLetGo();
    // What the two ends buffer; not megabytes.
    expect(sent).toBeLessThan(8_000_000);
  });

  it('and drips its answer byte by byte is given the whole deadline and no more', async () => {
    shop.behave = dripping('x', 'HTTP/1.1 200 OK\r\nx-drip: ');
    const result = await toShop(hasty);
    expect(result).toMatchObject(timedOut);
    expect(result.tookMs).toBeLessThan(5_000);
    await expectLetGo();
  });

  it('and drips the text behind its status has answered by its status', async () => {
    shop.behave = dripping('x', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
    const result = await toShop(hasty);
    expect(result).toMatchObject({ status: 200, answer: expect.stringMatching(/^x+$/) });
    expect(result.tookMs).toBeLessThan(5_000);
    await expectLetGo();
  });

  it('and never ends saying that it will go on is left at the deadline', async () => {
    shop.behave = dripping('HTTP/1.1 103 Early Hints\r\n\r\n');
    expect(await toShop(hasty)).toMatchObject(timedOut);
    await expectLetGo();
  });

  it('and takes the request without an answer is left at the deadline', async () => {
    shop.behave = () => {};
    expect(await toShop(hasty)).toMatchObject(timedOut);
    await expectLetGo();
  });

  it('and accepts connections without a handshake is left at the deadline', async () => {
    await using silent = await startReceiver({ behave: () => {} });
    const url = `https://shop.example:${silent.port}/`;
    const result = await posterWith(hasty)({ url, reach: 'public', headers: {}, body });
    expect(result).toMatchObject(timedOut);
    await eventually(() => expect(silent.open()).toBe(0));
  });

  it('or a name server that stays silent, is left at the deadline', async () => {
    const resolve = (_name: string, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    expect(await toShop({ ...hasty, resolve })).toMatchObject(timedOut);
  });

  it('and resets or closes the connection gives an attempt without an answer, and no second request', async () => {
    const closed = { status: undefined, problem: 'the connection was closed before an answer came' };
    shop.behave = (socket) => socket.destroy();
    expect(await toShop()).toMatchObject(closed);
    expect(shop.received).toHaveLength(1);
    // Without encryption, which hides a reset from the test's server.
    await using local = await startReceiver({ behave: (socket) => socket.resetAndDestroy() });
    const url = `http://127.0.0.1:${local.port}/`;
    expect(await createPoster()({ url, reach: 'any', headers: {}, body })).toMatchObject(closed);
    expect(local.received).toHaveLength(1);
  });

  it('and sends headers without end is left', async () => {
    shop.behave = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'x-filler: 0123456789\r\n'.repeat(5_000)}`);
    };
    expect(await toShop()).toMatchObject({ problem: 'the headers of the answer are too long' });
    await expectLetGo();
  });

  it('and answers with something else than HTTP is told so', async () => {
    shop.behave = (socket) => socket.end('220 mail.example ESMTP\r\n');
    expect(await toShop()).toMatchObject({ problem: 'the answer is not HTTP' });
  });

  it('and has no listener is told that the connection was refused', async () => {
    const { port } = shop;
    await shop[Symbol.asyncDispose]();
    const url = `https://shop.example:${port}/`;
    const result = await posterWith()({ url, reach: 'public', headers: {}, body });
    shop = await startReceiver({ certificate });
    expect(result).toMatchObject({ problem: 'the connection was refused' });
  });

  it('and whose name has no address is told so', async () => {
    expect(await toShop({ resolve: async () => [] })).toMatchObject({ problem: 'the name has no address' });
  });
});

describe('a certificate', () => {
  async function withCertificate(of: typeof certificate, authorities: string | undefined = of.cert) {
    await using other = await startReceiver({ certificate: of });
    const url = `https://shop.example:${other.port}/`;
    const result = await posterWith({ authorities })({ url, reach: 'public', headers: {}, body });
    expect(other.received).toEqual([]);
    return result;
  }

  it('that has expired is refused', async () => {
    const expired = certificateFor('shop.example', { until: '20210101000000Z' });
    expect(await withCertificate(expired)).toMatchObject({ problem: 'the certificate has expired' });
  });

  it('for another name is refused', async () => {
    expect(await withCertificate(certificateFor('other.example'))).toMatchObject({
      problem: 'the certificate is for another name',
    });
  });

  it('of an unknown authority is refused, also when Node is told to accept all', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await withCertificate(certificateFor('shop.example'), certificate.cert)).toMatchObject({
        problem: 'the certificate is not of a known authority',
      });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});
