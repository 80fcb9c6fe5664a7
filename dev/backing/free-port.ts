/** Ports of loopback that nothing listens on. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** All are held until the last is found, so they differ. Another program could still be faster to take one. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  for (let index = 0; index < count; index += 1) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
