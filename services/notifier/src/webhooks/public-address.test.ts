import { describe, expect, it } from '@jest/globals';
import { isPublicAddress } from './public-address.ts';

describe('an address that webhooks are not sent to', () => {
  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '10.255.255.255'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.254'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['metadata of Alibaba Cloud', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.255'],
    ['link-local', '169.254.0.1'],
    ['metadata of most clouds', '169.254.169.254'],
    ['containers on AWS', '169.254.170.2'],
    ['host at Azure', '168.63.129.16'],
    ['metadata of Oracle', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['relay', '192.88.99.1'],
    ['measurements', '198.18.0.1'],
    ['documentation', '203.0.113.7'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped', '::ffff:10.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-mapped, in hexadecimal', '::ffff:a00:1'],
    ['IPv4-compatible', '::10.0.0.1'],
    ['IPv4-translated', '::ffff:0:10.0.0.1'],
    ['NAT64', '64:ff9b::10.0.0.1'],
    ['NAT64', '64:ff9b::808:808'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:a00:1::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['6to4', '2002:a00:1::1'],
    ['documentation', '3fff::1'],
    ['unique-local', 'fc00::1'],
    ['unique-local', 'fd12:3456::1'],
    ['metadata of AWS', 'fd00:ec2::254'],
    ['metadata of Google', 'fd20:ce::254'],
    ['link-local', 'fe80::1'],
    ['link-local, with a zone', 'fe80::1%eth0'],
    ['public, with a zone', '2606:4700::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['a name', 'example.com'],
    ['nothing', ''],
    ['a short form', '127.1'],
  ])('is %s: %s', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('an address of the public internet', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '168.63.129.17',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2001:4860:4860::8888',
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
