import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { networkOf, prefixOf, readClientIp } from './client-ip.ts';

const clientIp = readClientIp(['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8']);

function from(remoteAddress: string | undefined, forwardedFor?: string): string {
  const headers = { 'x-forwarded-for': forwardedFor };
  return clientIp({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe('the client IP', () => {
  it('is the peer if the peer is no trusted proxy, whatever its headers claim', () => {
    expect(from('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(from('2001:db8::7', '203.0.113.9')).toBe('2001:db8::7');
    expect(from('::ffff:198.51.100.7', '127.0.0.1')).toBe('198.51.100.7');
  });

  it('is the rightmost address that is no trusted proxy', () => {
    expect(from('127.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(from('10.0.0.1', '192.0.2.66, 203.0.113.9, 10.2.3.4')).toBe('203.0.113.9');
    expect(from('10.0.0.1', '10.0.0.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(from('fd00::1', '2001:db8::7')).toBe('2001:db8::7');
  });

  it('is IPv4 if an IPv4 address is written as IPv6, in every notation', () => {
    expect(from('::ffff:127.0.0.1', '::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(from('::ffff:198.51.100.7')).toBe('198.51.100.7');
    expect(from('::ffff:7f00:1', '::FFFF:cb00:7109')).toBe('203.0.113.9');
    // The last hop is a trusted proxy.
    expect(from('127.0.0.1', '203.0.113.9, 0:0:0:0:0:ffff:10.1.2.3')).toBe('203.0.113.9');
  });

  it.each([
    ['192.0.2.1:5678', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['192.0.2.1,', '192.0.2.1'],
    ['192.0.2.1, , ,', '192.0.2.1'],
    ['\t192.0.2.1 ', '192.0.2.1'],
  ])('is read in the notations of proxies: %s', (forwardedFor, ip) => {
    expect(from('10.0.0.1', forwardedFor)).toBe(ip);
  });

  it.each([
    ['nothing was forwarded', undefined],
    ['the header is empty', ''],
    ['it has empty elements only', ' , ,,'],
    ['the nearest entry is no address', '203.0.113.9, nonsense'],
    ['the nearest entry is unknown', '203.0.113.9, unknown'],
    ['the nearest entry is half an address', '203.0.113.9, 192.0.2'],
    ['the nearest entry is an address with something behind it', '203.0.113.9, 192.0.2.1:80:80'],
    ['the nearest entry is an octal address', '203.0.113.9, 0300.0.2.1'],
    ['the nearest entry is very long', `203.0.113.9, ${'1'.repeat(10_000)}`],
  ])('is the proxy itself when %s', (_case, forwardedFor) => {
    expect(from('10.0.0.1', forwardedFor)).toBe('10.0.0.1');
  });

  it('is the last known proxy if the entry before it is invalid', () => {
    expect(from('127.0.0.1', '203.0.113.9, garbage, 10.1.1.1')).toBe('10.1.1.1');
  });

  it('is the leftmost address if all hops are trusted proxies', () => {
    expect(from('127.0.0.1', '10.1.1.1, 10.2.2.2')).toBe('10.1.1.1');
  });

  it('is searched in the last 16 hops only', () => {
    const hops = Array.from({ length: 2_000 }, () => '10.1.1.1').join(',');
    expect(from('127.0.0.1', `203.0.113.9,${hops}`)).toBe('10.1.1.1');
  });

  it('is empty if the peer has disconnected', () => {
    expect(from(undefined, '203.0.113.9')).toBe('');
  });
});

describe('the network that a rate limit counts', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b:1:2::192.0.2.1', '64:ff9b:1:2::/64'],
  ])('of %s is %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });

  it.each([
    ['mapped', '::ffff:198.51.100.7'],
    ['mapped, in capitals', '::FFFF:198.51.100.7'],
    ['mapped, in hexadecimal digits', '::ffff:c633:6407'],
    ['mapped, written out', '0:0:0:0:0:ffff:198.51.100.7'],
    ['behind a translator', '64:ff9b::198.51.100.7'],
    ['behind a translator, in hexadecimal digits', '64:FF9B::c633:6407'],
  ])('of an IPv4 client, %s, is its own address', (_case, ip) => {
    expect(networkOf(ip)).toBe('198.51.100.7');
  });

  it('is the same for all addresses of a /64, and for all notations of one', () => {
    const group = fc.integer({ min: 1, max: 0xffff });
    fc.assert(
      fc.property(
        fc.tuple(group, group, group, group),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (network, host) => {
          const short = [...network, ...host].map((value) => value.toString(16));
          const long = short.map((text) => text.padStart(4, '0').toUpperCase());
          const expected = `${short.slice(0, 4).join(':')}::/64`;
          expect(networkOf(short.join(':'))).toBe(expected);
          expect(networkOf(long.join(':'))).toBe(expected);
          expect(networkOf(`${short.slice(0, 4).join(':')}::${short[7]}`)).toBe(expected);
        },
      ),
    );
  });
});

describe('the prefix that one attacker may own', () => {
  it.each([
    ['198.51.100.7', '198.51.100.0/24'],
    ['::ffff:198.51.100.7', '198.51.100.0/24'],
    ['64:ff9b::198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:0DB8:0001:ffff::9', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
  ])('of %s is %s', (ip, prefix) => {
    expect(prefixOf(ip)).toBe(prefix);
  });
});
