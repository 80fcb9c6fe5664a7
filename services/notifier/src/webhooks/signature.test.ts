import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signatureHeaders } from './signature.ts';

const example = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: new Date(1_614_265_330_000),
  body: '{"test": 2432232314}',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('the headers of a webhook', () => {
  it('are those of the example in the specification', () => {
    expect(signatureHeaders({ ...example, secrets: [secret] })).toEqual({
      'webhook-id': example.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('have a signature for each secret while one is being replaced', () => {
    const fresh = newWebhookSecret();
    const headers = signatureHeaders({ ...example, secrets: [fresh, secret] });
    const [first, second, ...more] = headers['webhook-signature'].split(' ');
    expect([second, more]).toEqual([signature, []]);
    expect(first).toBe(signatureHeaders({ ...example, secrets: [fresh] })['webhook-signature']);
  });
});

it('a new secret has 32 random bytes', () => {
  const secrets = Array.from({ length: 3 }, newWebhookSecret);
  expect(new Set(secrets).size).toBe(3);
  for (const one of secrets) {
    expect(one).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(Buffer.from(one.slice(6), 'base64')).toHaveLength(32);
  }
});
