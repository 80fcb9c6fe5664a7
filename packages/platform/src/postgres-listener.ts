/** LISTEN on a connection of its own, opened again whenever it is lost. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from './logging.ts';
import type { Postgres } from './postgres.ts';

const RECONNECT_AFTER_MS = 1_000;
/** A database that has gone silent answers neither LISTEN nor a goodbye. */
const ANSWERS_WITHIN_MS = 3_000;

/**
 * Calls `wake` for every notification and after every (re)connection, because notifications that were sent while
 * nobody listened are gone. A wake-up is only a hint: whoever uses it polls too.
 */
export function listen(o: {
  postgres: Postgres;
  channel: string;
  wake: () => void;
  logger: Logger;
}): AsyncDisposable {
  const stopping = new AbortController();

  async function listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: o.postgres.pool.options.connectionString,
      connectionTimeoutMillis: o.postgres.pool.options.connectionTimeoutMillis,
      query_timeout: ANSWERS_WITHIN_MS,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      client.on('end', resolve);
      client.on('error', () => resolve());
      stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    try {
      await client.connect();
      client.on('notification', o.wake);
      await client.query(`LISTEN ${client.escapeIdentifier(o.channel)}`);
      o.wake();
      await ended;
    } finally {
      const enough = new AbortController();
      await Promise.race([
        client.end().catch(() => {}),
        pause(ANSWERS_WITHIN_MS, undefined, { signal: enough.signal }).catch(() => {}),
      ]);
      enough.abort();
      client.connection.stream.destroy();
    }
  }

  async function keepListening(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listenOnce().catch((error: unknown) =>
        o.logger.warn({ error, channel: o.channel }, 'cannot listen on the database, polling meanwhile'),
      );
      await pause(RECONNECT_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const listening = keepListening();

  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await listening;
    },
  };
}
