/** Free ports of the loopback address. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that Linux, macOS and Windows assign by themselves (the lowest is 32,768). So the system gives none of these to a
 * connection or to another listener before the caller listens on it.
 */
const FIRST_PORT = 10_000;
const FIRST_DEALT_OUT = 32_768;
const TRIES_FOR_EACH = 100;

/** All are kept open until the last one is found, so they differ. */
export async function freePorts(count: number): Promise<number[]> {
  await using held = new AsyncDisposableStack();
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > count * TRIES_FOR_EACH) throw new Error(`no ${count} free ports of loopback were found`);
    const port = randomInt(FIRST_PORT, FIRST_DEALT_OUT);
    const server = await listenOn(port);
    if (server === undefined) continue;
    held.defer(async () => void (await once(server.close(), 'close')));
    ports.push(port);
  }
  return ports;
}

/** @returns undefined when the port is in use */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}
