/** Whose request it is, when proxies stand before us. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Request } from 'express';

export type ClientIp = (req: Request) => string;

/**
 * `X-Forwarded-For` is read from the right, where our own proxies wrote: the first address that is not one of them is
 * the client. What stands left of it was sent by the client and may be invented.
 */
export function readClientIp(trustedNetworks: readonly string[]): ClientIp {
  const trusted = new BlockList();
  for (const network of trustedNetworks) {
    const [address = '', prefix] = network.split('/');
    trusted.addSubnet(address, Number(prefix), familyOf(address));
  }
  const isTrusted = (ip: string) => trusted.check(ip, familyOf(ip));

  return (req) => {
    let client = plain(req.socket.remoteAddress ?? '');
    const hops = (req.get('x-forwarded-for') ?? '').split(',').map((hop) => plain(hop.trim()));
    while (isIP(client) !== 0 && isTrusted(client)) {
      const hop = hops.pop();
      // Nothing more, or not an address: the nearest hop that we know stands for the client.
      if (hop === undefined || isIP(hop) === 0) break;
      client = hop;
    }
    return client;
  };
}

/** A dual-stack socket shows IPv4 peers as `::ffff:192.0.2.1`. */
function plain(ip: string): string {
  const mapped = ip.replace(/^::ffff:/i, '');
  return isIPv4(mapped) ? mapped : ip;
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIPv4(ip) ? 'ipv4' : 'ipv6';
}
