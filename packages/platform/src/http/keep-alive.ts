/** How long idle connections between services stay open. */

/**
 * The caller closes an idle connection after this long. That is less than any server keeps one, and less than a stopping server waits
 * (`drain` in server.ts). So always the caller closes, and no request is sent on a connection that the server is closing.
 */
export const callerKeepsIdleMs = 4_000;

/** Replies announce it, so that clients that read it, as browsers and Node's `fetch` do, also close first. */
export const announcedIdleMs = callerKeepsIdleMs + 1_000;

/** For undici: the same limit also when the server's Keep-Alive header allows more. */
export const keepAlive = { keepAliveTimeout: callerKeepsIdleMs, keepAliveMaxTimeout: callerKeepsIdleMs };
