/** Which addresses an endpoint may have. What its name resolves to is checked at each attempt (post.ts). */
import { isIP } from 'node:net';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { isPublicAddress } from './public-address.ts';

/** `public`: https, on the public internet. `any`: http and networks of one's own too, for development. */
export type Reach = 'public' | 'any';

/** LIVE mode never reaches more than the public internet, whatever the setting says. */
export function reachOf(mode: Mode, testTargets: Reach): Reach {
  return mode === 'TEST' ? testTargets : 'public';
}

export type TargetRefusal = 'not-a-url' | 'not-https' | 'has-credentials' | 'port' | 'not-public';

/** For the owner of the endpoint. They name no address, because that could tell how the house is built. */
export const targetProblems: Record<TargetRefusal, string> = {
  'not-a-url': 'the address is not a complete https address',
  'not-https': 'the address is not https',
  'has-credentials': 'the address contains a user or a password',
  port: 'the port is neither 443 nor 1024 or more',
  'not-public': 'the address is not on the public internet',
};

export type Target =
  | { readonly ok: true; readonly url: URL /** Without the brackets of IPv6. */; readonly host: string }
  | { readonly ok: false; readonly reason: TargetRefusal };

const longestUrl = 2_048;

/** Ports below are of other services, such as 25 of mail. A service that reads lines would take a request for its own commands. */
const firstFreePort = 1_024;

/** The URL parser turns every form of an IPv4 address (`127.1`, `0x7f000001`, `017700000001`) into the usual one before it is checked. */
export function targetOf(text: string, reach: Reach): Target {
  const url = text.length <= longestUrl ? URL.parse(text) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return refused('not-a-url');
  if (url.username !== '' || url.password !== '') return refused('has-credentials');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (reach === 'any') return { ok: true, url, host };
  if (url.protocol !== 'https:') return refused('not-https');
  if (url.port !== '' && Number(url.port) < firstFreePort) return refused('port');
  if (isIP(host) !== 0 && !isPublicAddress(host)) return refused('not-public');
  return { ok: true, url, host };
}

function refused(reason: TargetRefusal): Target {
  return { ok: false, reason };
}
