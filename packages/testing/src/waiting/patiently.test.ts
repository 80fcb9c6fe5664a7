import { describe, expect, it } from '@jest/globals';
import { patiently } from './patiently.ts';

type Reply = { readonly status: number; readonly body?: unknown };

/** Returns these one after the other. */
function replying(...replies: readonly (Reply | Error)[]): () => Promise<Reply> {
  const left = [...replies];
  return async () => {
    const reply = left.shift();
    if (reply === undefined) throw new Error('asked once too often');
    if (reply instanceof Error) throw reply;
    return reply;
  };
}

const busy = { status: 503, body: { message: 'Service unavailable' } };

describe('patiently', () => {
  it('asks again after a 503, also of a `Response`', async () => {
    const done = { status: 200, body: {} };
    expect(await patiently(replying(busy, new Response(null, { status: 503 }), busy, done))).toBe(done);
  });

  it.each<Reply>([
    { status: 503, body: { return_code: 'E7', message: 'Service unavailable' } },
    { status: 503, body: { message: 'Closed for the night' } },
    { status: 503, body: { status: 'down' } },
    { status: 500, body: {} },
  ])('returns any other refusal: %j', async (refusal) => {
    expect(await patiently(replying(refusal))).toBe(refusal);
  });

  it('throws an error of the request at once', async () => {
    await expect(patiently(replying(busy, new Error('connection reset')))).rejects.toThrow(
      'connection reset',
    );
  });
});
