/** Checks before the measurement: all peers answer the same, and those with a limit count requests. */
import { readFileSync } from 'node:fs';
import type { Peer } from './peers/peers.ts';
import { clientAddress, requestPath } from './requests.ts';

const limit = 60;
/** Addresses that no run uses, so that their limits are not used up. */
const probes = { same: 131_000, firstLimit: 131_001 };

export async function checkPeers(peers: readonly Peer[], o: { upstreamUrl: string }): Promise<void> {
  const expected = await (await fetch(`${o.upstreamUrl}${requestPath}`)).text();
  for (const [at, peer] of peers.entries()) {
    const [ownKey = ''] = readFileSync(peer.keysFile, 'utf8').split('\n');
    const ask = (client: number, apiKey = ownKey) =>
      fetch(`${peer.url}${requestPath}`, {
        headers: { 'x-api-key': apiKey, 'x-forwarded-for': clientAddress(client) },
      });
    const fail = (problem: string) => {
      throw new Error(`${peer.name} ${problem}; there is nothing to compare`);
    };
    const reply = await ask(probes.same);
    const body = await reply.text();
    if (reply.status !== 200) fail(`answers ${reply.status}: ${body}`);
    if (body !== expected) fail(`answers something else than the upstream: ${body}`);
    if (peer.isOurs) {
      const stranger = await ask(probes.same, `${ownKey.slice(0, -1)}?`);
      if (stranger.status !== 401) fail(`answers ${stranger.status} to a key that nobody has`);
    }
    // An address for each process, because those with one Valkey count together.
    const passed = await passing(() => ask(probes.firstLimit + at));
    if (peer.limits ? passed < limit || passed > limit + 2 : passed !== limit + 10) {
      fail(`let ${passed} of ${limit + 10} requests of one client pass`);
    }
  }
}

async function passing(ask: () => Promise<Response>): Promise<number> {
  let passed = 0;
  for (let index = 0; index < limit + 10; index += 1) {
    const reply = await ask();
    await reply.arrayBuffer();
    if (reply.status === 200) passed += 1;
  }
  return passed;
}
