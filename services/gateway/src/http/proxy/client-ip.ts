/** The client's IP address behind proxies. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { unmapped } from '../../domain/limits/client-network.ts';
import { memo } from '../../limits/memo.ts';

export type ClientIp = (req: IncomingMessage) => string;

/** More proxies than any installation has in a row; the rest of an invented list is not read. */
const mostHops = 16;

/**
 * `X-Forwarded-For` is read from the right, where our own proxies wrote: the first address that is not one of our proxies is the client.
 * Everything left of it came from the client and may be invented.
 */
export function readClientIp(trustedNetworks: readonly string[]): ClientIp {
  const isTrusted = memo(trustOf(trustedNetworks));
  const addressAt = memo(addressIn);

  return (req) => {
    let client = addressAt(req.socket.remoteAddress ?? '');
    if (!isTrusted(client)) return client;
    // Node joins several lines of this header with commas.
    const forwarded = String(req.headers['x-forwarded-for'] ?? '');
    let end = forwarded.length;
    for (let hops = 0; hops < mostHops && end > 0; hops += 1) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const text = forwarded.slice(comma + 1, end).trim();
      end = Math.max(0, comma);
      // An empty element does not count (RFC 9110, 5.6.1).
      if (text === '') continue;
      const hop = addressAt(text);
      // Not an address: the nearest known hop is used as the client.
      if (hop === '') break;
      client = hop;
      if (!isTrusted(client)) break;
    }
    return client;
  };
}

function trustOf(networks: readonly string[]): (ip: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    trusted.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (ip) => ip !== '' && trusted.check(ip, familyOf(ip));
}

/**
 * The address in one element of the list; empty if there is none. Proxies write `192.0.2.1`, some with the port, `192.0.2.1:4711` or
 * `[2001:db8::1]:4711`; a dual-stack socket shows IPv4 peers as `::ffff:192.0.2.1`.
 */
function addressIn(text: string): string {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/s, '');
  return isIP(address) === 0 ? '' : unmapped(address.toLowerCase());
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIPv4(ip) ? 'ipv4' : 'ipv6';
}
