import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { readClientIp } from './client-ip.ts';

const clientIp = readClientIp(['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8']);

function from(remoteAddress: string, forwardedFor?: string): string {
  return clientIp({ socket: { remoteAddress }, get: () => forwardedFor } as unknown as Request);
}

describe('the client IP', () => {
  it('is the peer when the peer is no proxy of ours, whatever it claims', () => {
    expect(from('198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(from('2001:db8::7', '203.0.113.9')).toBe('2001:db8::7');
  });

  it('is the rightmost address that is not one of our proxies', () => {
    expect(from('127.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(from('10.0.0.1', '192.0.2.66, 203.0.113.9, 10.2.3.4')).toBe('203.0.113.9');
    expect(from('fd00::1', '2001:db8::7')).toBe('2001:db8::7');
  });

  it('reads IPv4 peers of a dual-stack socket as IPv4', () => {
    expect(from('::ffff:127.0.0.1', '::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(from('::ffff:198.51.100.7')).toBe('198.51.100.7');
  });

  it.each([
    ['nothing was forwarded', undefined],
    ['the header is empty', ''],
    ['the nearest entry is no address', '203.0.113.9, nonsense'],
  ])('is the proxy itself when %s', (_case, forwardedFor) => {
    expect(from('10.0.0.1', forwardedFor)).toBe('10.0.0.1');
  });

  it('is the leftmost address when every hop is ours', () => {
    expect(from('127.0.0.1', '10.1.1.1, 10.2.2.2')).toBe('10.1.1.1');
  });
});
