/** The request of the measurement, from so many clients that none reaches 60 requests a minute. */

export const requestPath = '/categories';

/** Far above the rate of any peer, so that no client comes near 60 requests within a minute. */
const maxRequestsASecond = 50_000;
const maxOfOneClient = 20;
/** The network for measurements, 198.18.0.0/15 (RFC 2544). */
const addresses = 2 ** 17;

export function clientsFor(seconds: number): number {
  return Math.min(addresses, Math.max(16_384, Math.ceil((maxRequestsASecond * seconds) / maxOfOneClient)));
}

/** As in wrk.lua. */
export function clientAddress(index: number): string {
  const host = index % addresses;
  return `198.${18 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
}

export function rawRequest(o: { host: string; apiKey: string; client: number }): string {
  return (
    `GET ${requestPath} HTTP/1.1\r\nHost: ${o.host}\r\nAccept: application/json\r\n` +
    `X-Forwarded-For: ${clientAddress(o.client)}\r\nX-Api-Key: ${o.apiKey}\r\n\r\n`
  );
}
