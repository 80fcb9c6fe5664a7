/** Calls of the sign-in service: no redirects are followed, and replies are read up to a limit. */

import type { CustomFetchOptions } from 'openid-client';

/** Ten times the largest documents: discovery and keys have some kilobytes, a token of a person in hundreds of groups some more. */
const MAX_BYTES = 512 * 1024;

export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}

/** The time limit comes as `signal` in the options, and also ends the reading of the body. */
export async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const { body, status, headers } = await fetch(url, {
    ...options,
    // The two types name the same kinds of bodies.
    body: (options.body ?? null) as NonNullable<RequestInit['body']> | null,
    redirect: 'manual',
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the body, which closes the connection.
    if (bytes > MAX_BYTES) throw new ReplyTooLarge(`a reply has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), { status, headers });
}
