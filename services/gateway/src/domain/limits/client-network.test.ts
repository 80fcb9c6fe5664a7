import { isIPv4 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ipv4Number, networkOf, prefixOf, unmapped } from './client-network.ts';

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

describe('an address written as IPv6', () => {
  it('becomes IPv4 if it is mapped, and stays the same otherwise', () => {
    expect(unmapped('::ffff:7f00:1')).toBe('127.0.0.1');
    expect(unmapped('64:ff9b::7f00:1')).toBe('64:ff9b::7f00:1');
    expect(unmapped('::1')).toBe('::1');
    expect(unmapped('192.0.2.1')).toBe('192.0.2.1');
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

describe('the number of an IPv4 address', () => {
  it('is the same as its bytes, and no other text has one', () => {
    expect(ipv4Number('255.255.255.255')).toBe(2 ** 32 - 1);
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        const bytes = ip.split('.').map(Number);
        expect(ipv4Number(ip)).toBe(bytes.reduce((number, byte) => number * 256 + byte, 0));
      }),
    );
    const text = fc.oneof(
      fc.ipV6(),
      fc.string(),
      fc.string({ unit: fc.constantFrom('0', '1', '25', '.'), maxLength: 9 }),
    );
    fc.assert(
      fc.property(text, (ip) => expect(ipv4Number(ip) !== null).toBe(isIPv4(ip))),
      { numRuns: 2_000 },
    );
  });
});
