import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { readClientIp } from './client-ip.ts';

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
