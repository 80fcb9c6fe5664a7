/** For commands that run once in a pod of their own and end: a migration, a scheduled job. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** A cluster with network policies admits the address of a new pod about a second after its start. Postgres starts within half a minute. */
const STARTS_WITHIN_MS = 30_000;
const PAUSE_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;
/** SQLSTATE: the server is starting, or is shutting down. */
const startingStates = new Set(['57P01', '57P03']);

/**
 * Resolves when Postgres accepts a connection. A wrong password, database or certificate is thrown at once, a server that is away after
 * `withinMs`.
 */
export async function waitForPostgres(url: string, withinMs = STARTS_WITHIN_MS): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (;;)
    try {
      await connectOnce(url);
      return;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      // The server has refused: it is there. Errors of the network and the driver's own time-out have another form of code, or none.
      const isRefused = /^[0-9A-Z]{5}$/.test(code) && !startingStates.has(code);
      // Such as DEPTH_ZERO_SELF_SIGNED_CERT, ERR_TLS_CERT_ALTNAME_INVALID, UNABLE_TO_VERIFY_LEAF_SIGNATURE.
      const isDistrusted = /CERT|VERIFY/.test(code);
      if (isRefused || isDistrusted || performance.now() >= endsAt) throw error;
      await pause(PAUSE_MS);
    }
}

async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
  } finally {
    await client.end();
  }
}
