/** Addresses of the public internet, by the registries of special addresses of IANA. Webhooks go to no others. */
import { BlockList, isIP } from 'node:net';

/** Metadata services that have no address of their own here are in a range below: 169.254.169.254, 100.100.100.200, 192.0.0.192. */
const specialIpv4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Carrier-grade NAT.
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  // The host of a virtual machine at Azure: it answers like a metadata service, from a public range.
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  // Was for relays from IPv6 to IPv4.
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, and what is reserved; also the broadcast address.
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** All other IPv6 addresses are refused: loopback, unique-local, link-local, multicast, and IPv4 addresses in an IPv6 form. */
const globalIpv6 = blockList('ipv6', ['2000::/3']);
const specialIpv6 = blockList('ipv6', [
  // Protocols of the IETF; Teredo among them, which holds an IPv4 address.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which holds an IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

/** False for everything that is not written as one IP address. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone belongs to one network card.
  if (address.includes('%')) return false;
  const version = isIP(address);
  if (version === 4) return !specialIpv4.check(address, 'ipv4');
  return version === 6 && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function blockList(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
