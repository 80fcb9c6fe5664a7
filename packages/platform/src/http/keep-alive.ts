/** How long a connection between services is kept when nothing comes over it. */

/**
 * By whoever calls. Less than any server keeps one, and less than a server that stops waits (`drain` of http-server.ts): so
 * it is always the caller who ends an idle connection, and no request meets one that is just being closed.
 */
export const callerKeepsIdleMs = 4_000;

/** For undici: also where the server would keep it longer, and says so. */
export const keepAlive = { keepAliveTimeout: callerKeepsIdleMs, keepAliveMaxTimeout: callerKeepsIdleMs };
