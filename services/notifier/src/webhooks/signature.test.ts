import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import openapi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import { Webhook } from 'standardwebhooks';
import { keysOfText, newEndpointKeys, signatureHeaders, textOfKeys } from './signature.ts';

const example = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: new Date(1_614_265_330_000),
  body: '{"test": 2432232314}',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const { privateKey } = newEndpointKeys();
const withSecrets = (...secrets: string[]) => ({
  keys: secrets.map((each) => ({ secret: each, privateKey })),
  ed25519: false,
});
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('the headers of a webhook', () => {
  it('are those of the example in the specification', () => {
    expect(signatureHeaders({ ...example, ...withSecrets(secret) })).toEqual({
      'webhook-id': example.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('are those that the description of the API names', () => {
    const { parameters } = openapi.components;
    const described = openapi.webhooks['offer.paid'].post.parameters.map(
      ({ $ref }) => parameters[$ref.split('/').at(-1) as keyof typeof parameters].name,
    );
    expect(described).toEqual(Object.keys(signatureHeaders({ ...example, ...withSecrets(secret) })));
  });

  it('have a signature for each secret while one is being replaced', () => {
    const { secret: fresh } = newEndpointKeys();
    const headers = signatureHeaders({ ...example, ...withSecrets(fresh, secret) });
    const [first, second, ...more] = headers['webhook-signature'].split(' ');
    expect([second, more]).toEqual([signature, []]);
    expect(first).toBe(signatureHeaders({ ...example, ...withSecrets(fresh) })['webhook-signature']);
  });
});

describe('a receiver with the library of the specification', () => {
  const [old, fresh, other] = [newEndpointKeys().secret, newEndpointKeys().secret, newEndpointKeys().secret];
  const body = '{"type":"offer.paused","data":{"title":"Zażółć 👩‍👩‍👧"}}';
  const headersAt = (at: Date) => signatureHeaders({ id: 'msg_1', at, body, ...withSecrets(fresh, old) });

  it('accepts the old and the new secret while one is being replaced, and no other', () => {
    const headers = headersAt(new Date());
    for (const known of [old, fresh])
      expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
  });

  it('refuses a changed body and another id', () => {
    const headers = headersAt(new Date());
    expect(() => new Webhook(old).verify(`${body} `, headers)).toThrow('No matching signature');
    const renamed = { ...headers, 'webhook-id': 'msg_2' };
    expect(() => new Webhook(old).verify(body, renamed)).toThrow('No matching signature');
  });

  it('has a clock that is some minutes wrong, and takes the attempt; an attempt of an hour ago is refused', () => {
    const minutesAway = (minutes: number) => headersAt(new Date(Date.now() + minutes * 60_000));
    for (const skew of [-4, 4])
      expect(new Webhook(old).verify(body, minutesAway(skew))).toEqual(JSON.parse(body));
    for (const skew of [-60, 60])
      expect(() => new Webhook(old).verify(body, minutesAway(skew))).toThrow(/timestamp too/);
  });
});

it('a new secret has 32 random bytes', () => {
  const secrets = Array.from({ length: 3 }, () => newEndpointKeys().secret);
  expect(new Set(secrets).size).toBe(3);
  for (const one of secrets) {
    expect(one).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(Buffer.from(one.slice(6), 'base64')).toHaveLength(32);
  }
});

it('signs by v1a beside v1 where the endpoint wants it, with each pair of keys while they are replaced', async () => {
  const { publicKey: old, ...oldKeys } = newEndpointKeys();
  const { publicKey: fresh, ...freshKeys } = newEndpointKeys();
  const { publicKey: other } = newEndpointKeys();
  const keys = [freshKeys, oldKeys].map((each) => keysOfText(textOfKeys(each)));
  const headers = signatureHeaders({ ...example, keys, ed25519: true });
  const versions = headers['webhook-signature'].split(' ').map((signature) => signature.split(',')[0]);
  expect(versions).toEqual(['v1', 'v1', 'v1a', 'v1a']);
  const isSignedFor = (publicKey: string, body = example.body) =>
    headers['webhook-signature'].split(' ').some((signature) => isBy(publicKey, signature, body));
  expect([fresh, old, other].map((each) => isSignedFor(each))).toEqual([true, true, false]);
  expect(isSignedFor(fresh, `${example.body} `)).toBe(false);
});

/** As a receiver checks it that has the public key alone. */
function isBy(publicKey: string, signature: string, body: string): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const [version, base64 = ''] = signature.split(',');
  const signed = Buffer.from(`${example.id}.1614265330.${body}`);
  return version === 'v1a' && verify(null, signed, key, Buffer.from(base64, 'base64'));
}
