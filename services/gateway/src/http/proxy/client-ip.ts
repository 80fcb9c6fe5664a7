/** The client's IP address behind proxies. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { ipv4Number, unmapped } from '../../domain/limits/client-network.ts';

export type ClientIp = (req: IncomingMessage) => string;

/** More proxies than any installation has in a row; the rest of a made-up list is not read. */
const maxHops = 16;

/**
 * `X-Forwarded-For` is read from the right, where our own proxies wrote: the first address that is not one of our proxies is the client.
 * Everything left of it came from the client and may be made up.
 */
export function readClientIp(trustedNetworks: readonly string[]): ClientIp {
  const isTrusted = trustOf(trustedNetworks);

  return (req) => {
    let client = addressIn(req.socket.remoteAddress ?? '');
    if (!isTrusted(client)) return client;
    // Node joins several lines of this header with commas.
    const forwarded = String(req.headers['x-forwarded-for'] ?? '');
    let end = forwarded.length;
    for (let hops = 0; hops < maxHops && end > 0; hops += 1) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const text = forwarded.slice(comma + 1, end).trim();
      end = Math.max(0, comma);
      // An empty element does not count (RFC 9110, 5.6.1).
      if (text === '') continue;
      const hop = addressIn(text);
      // Not an address: the nearest known hop is used as the client.
      if (hop === '') break;
      client = hop;
      if (!isTrusted(client)) break;
    }
    // A part of a header keeps the whole header in memory, which may have sixteen thousand characters. So this is a copy.
    return client.length === forwarded.length ? client : Buffer.from(client, 'latin1').toString('latin1');
  };
}

/** IPv4 is compared as numbers, because Node's list makes an object for each address that it checks. */
function trustOf(networks: readonly string[]): (ip: string) => boolean {
  const ipv4: { readonly network: number; readonly hostBits: number }[] = [];
  const ipv6 = new BlockList();
  for (const each of networks) {
    const [address = '', prefix] = each.split('/');
    const number = ipv4Number(unmapped(address));
    const isMapped = !isIPv4(address);
    if (number === null) ipv6.addSubnet(address, Number(prefix), 'ipv6');
    else {
      const hostBits = 2 ** (32 - (isMapped ? Number(prefix) - 96 : Number(prefix)));
      ipv4.push({ network: Math.floor(number / hostBits), hostBits });
    }
  }
  return (ip) => {
    if (ip === '') return false;
    const number = ipv4Number(ip);
    if (number === null) return ipv6.check(ip, 'ipv6');
    return ipv4.some(({ network, hostBits }) => Math.floor(number / hostBits) === network);
  };
}

const dualStackPrefix = '::ffff:';

/**
 * The address in one element of the list; empty if there is none. Proxies write `192.0.2.1`, some with the port, `192.0.2.1:4711` or
 * `[2001:db8::1]:4711`; a dual-stack socket shows IPv4 peers as `::ffff:192.0.2.1`.
 */
function addressIn(text: string): string {
  const usual = text.startsWith(dualStackPrefix) ? text.slice(dualStackPrefix.length) : text;
  if (ipv4Number(usual) !== null) return usual;
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/s, '');
  return isIP(address) === 0 ? '' : unmapped(address.toLowerCase());
}
