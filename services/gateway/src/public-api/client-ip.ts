/** The client's IP address behind proxies, and the networks that limits count (specification, Limits). */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

export type ClientIp = (req: IncomingMessage) => string;

/** More proxies than any installation has in a row; the rest of a made-up list is not read. */
const maxHops = 16;

/**
 * `X-Forwarded-For` is read from the right, where our own proxies wrote: the first address that is not one of our proxies is the client.
 * Everything left of it came from the client and may be made up. After an entry that is no address, the nearest known hop is the client.
 */
export function readClientIp(trustedNetworks: readonly string[]): ClientIp {
  const isProxy = proxyAddr.compile([...trustedNetworks]);
  const isTrusted = (hop: string, index: number) => index < maxHops && isProxy(addressIn(hop), index);
  return (req) =>
    proxyAddr
      .all(req, isTrusted)
      .map(addressIn)
      .findLast((hop) => hop !== '') ?? '';
}

/**
 * The address in one entry; empty if there is none. Proxies write `192.0.2.1`, some with the port, `192.0.2.1:4711` or
 * `[2001:db8::1]:4711`; a dual-stack socket shows IPv4 peers as `::ffff:192.0.2.1`.
 */
function addressIn(entry: string | undefined = ''): string {
  const text = entry.trim();
  if (isIP(text) === 4) return text;
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/s, '').toLowerCase();
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : '';
  const parsed = parse(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : address;
}

/** The library does not read an IPv4 part behind `64:ff9b::`, so Node writes it in hexadecimal digits first. */
function parse(ip: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(isIP(ip) === 6 ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip);
}

/** One client: an IPv4 address, or the IPv6 /64 of one customer. `ip` is a valid address in any notation, or empty when the peer has left. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const address = parse(ip.replace(/%.*$/s, ''));
  if (address instanceof ipaddr.IPv4) return address.toString();
  // Clients with IPv4 behind a translator share one /64, and must not share one limit.
  if (address.range() === 'rfc6052') return new ipaddr.IPv4(address.toByteArray().slice(-4)).toString();
  return `${groupsOf(address, 4)}::/64`;
}

/** @param ip a valid address, or empty when the peer has left */
export function isAmong(addresses: readonly string[], ip: string): boolean {
  if (ip === '') return false;
  const allowed = new BlockList();
  for (const address of addresses) {
    const [first = '', bits] = address.split('/');
    const family = familyOf(first);
    allowed.addSubnet(first, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return allowed.check(ip, familyOf(ip));
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIP(ip) === 4 ? 'ipv4' : 'ipv6';
}

/** What one attacker may own entirely: the /48 that providers assign in IPv6, and the /24 that is the smallest routable part of IPv4. */
export function prefixOf(ip: string): string {
  const network = networkOf(ip);
  if (!network.includes(':')) return `${network.slice(0, network.lastIndexOf('.'))}.0/24`;
  return `${network.split(':', 3).join(':')}::/48`;
}

function groupsOf(address: ipaddr.IPv6, count: number): string {
  return address.parts
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(':');
}
