import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, verifyWebhookAt } from './verify-webhook.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const event = {
  type: 'webhook.test',
  timestamp: '2035-06-01T12:00:00.000Z',
  data: { environment: 'TEST', webhook_id: 'we_ä' },
};
const body = JSON.stringify(event);
const atMs = Date.UTC(2035, 5, 1, 12);

/** Signed by the library of Standard Webhooks. */
function headersBy(secrets: readonly string[], sentAtMs = atMs) {
  const sign = (one: string) => new Webhook(one).sign('msg_1', new Date(sentAtMs), body);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': `${sentAtMs / 1_000}`,
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
const verified = (facts: Partial<Parameters<typeof verifyWebhook>[0]> = {}, nowMs = atMs) =>
  verifyWebhookAt(nowMs, { secret, headers: headersBy([secret]), body, ...facts });
const unverified = (message: RegExp) =>
  expect.objectContaining({ kind: 'unverified', message: expect.stringMatching(message) });

describe('a webhook', () => {
  it('that the service signed is returned, whichever form headers and body have', async () => {
    expect(await verified()).toEqual(event);
    expect(await verified({ headers: new Headers(headersBy([secret])) })).toEqual(event);
    expect(await verified({ body: new TextEncoder().encode(body) })).toEqual(event);
    expect(
      await verifyWebhook({
        secret,
        headers: headersBy([secret], 1_000 * Math.floor(Date.now() / 1_000)),
        body,
      }),
    ).toEqual(event);
  });

  it('is accepted by either secret while one replaces the other', async () => {
    const headers = headersBy([other, secret]);
    expect(await verified({ headers })).toEqual(event);
    expect(await verified({ headers, secret: other })).toEqual(event);
    expect(await verified({ secret: [other, secret] })).toEqual(event);
  });

  it.each([
    ['another secret', { secret: other }],
    ['another body', { body: `${body} ` }],
    ['another id', { headers: { ...headersBy([secret]), 'webhook-id': 'msg_2' } }],
    [
      'a timestamp that was changed',
      { headers: { ...headersBy([secret]), 'webhook-timestamp': `${atMs / 1_000 + 1}` } },
    ],
    [
      'a signature without its version',
      {
        headers: {
          ...headersBy([secret]),
          'webhook-signature': headersBy([secret])['webhook-signature'].slice(3),
        },
      },
    ],
    ['a signature that is no base64', { headers: { ...headersBy([secret]), 'webhook-signature': 'v1,*' } }],
    ['an empty signature', { headers: { ...headersBy([secret]), 'webhook-signature': 'v1,' } }],
  ])('with %s is refused', async (_what, facts) => {
    await expect(verified(facts)).rejects.toEqual(unverified(/no signature is of this secret/));
  });

  it('is accepted by the public key of v1a, and no longer when it was changed or signed by another', async () => {
    const [pair, stranger] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
    const publicKey = `whpk_${pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;
    const signedBy = ({ privateKey }: typeof pair) =>
      `v1a,${sign(null, Buffer.from(`msg_1.${atMs / 1_000}.${body}`), privateKey).toString('base64')}`;
    const headersWith = (signature: string) => {
      const headers = headersBy([secret]);
      return { ...headers, 'webhook-signature': `${headers['webhook-signature']} ${signature}` };
    };
    const headers = headersWith(signedBy(pair));
    expect(await verified({ headers, secret: publicKey })).toEqual(event);
    expect(await verified({ headers, secret: [other, publicKey] })).toEqual(event);
    const refused = unverified(/no signature is of this secret/);
    await expect(verified({ headers, secret: publicKey, body: `${body} ` })).rejects.toEqual(refused);
    const forged = headersWith(signedBy(stranger));
    await expect(verified({ headers: forged, secret: publicKey })).rejects.toEqual(refused);
    // A signature of one scheme is none of the other.
    const renamed = headersWith(signedBy(pair).replace('v1a', 'v1'));
    await expect(verified({ headers: renamed, secret: publicKey })).rejects.toEqual(refused);
  });

  it('that is repeated later than five minutes, or comes from a clock ahead, is refused with the reason', async () => {
    expect(await verified({}, atMs + 300_000)).toEqual(event);
    expect(await verified({}, atMs - 300_000)).toEqual(event);
    await expect(verified({}, atMs + 300_001)).rejects.toEqual(unverified(/300 s .* clock/));
    await expect(verified({}, atMs - 300_001)).rejects.toEqual(unverified(/clock/));
    expect(await verified({ toleranceSeconds: 600 }, atMs + 500_000)).toEqual(event);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s is refused', async (name) => {
    await expect(verified({ headers: { ...headersBy([secret]), [name]: undefined } })).rejects.toEqual(
      unverified(new RegExp(name)),
    );
  });

  it('cannot be checked with what is no secret, and the error does not show it', async () => {
    for (const wrong of ['MfKQ9r8GKYqrTwjU', 'whsec_', 'whsec_*', 'whpk_'])
      await expect(verified({ secret: wrong })).rejects.toMatchObject({
        kind: 'invalid-argument',
        message: 'a secret of a webhook begins with whsec_, its public key with whpk_',
      });
  });
});
