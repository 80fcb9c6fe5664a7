/** The time, the requests and the bytes until the form for an offer shows its first price on a slow phone. */
import type { CDPSession } from 'playwright-core';
import type { Visitor } from './portal-under-test.ts';

/** As Lighthouse throttles a phone: 1.6 Mbit/s, 150 ms for a round trip, a processor of a quarter of the speed. */
const phoneNetwork = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const PHONE_CPU_SLOWDOWN = 4;

export const isOfMap = /\/(target-map|tiles?|town-list)/;

/** Opens the form for an offer as on a slow phone, and waits for its price. */
export async function firstPrice({ page, context }: Visitor, o: { readonly isCold: boolean }) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  if (o.isCold) await cdp.send('Network.clearBrowserCache');
  await page.goto('about:blank');
  await cdp.send('Network.emulateNetworkConditions', phoneNetwork);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: PHONE_CPU_SLOWDOWN });
  const loaded = watchLoading(cdp);
  await page.goto('/portal/test/offers/new', { waitUntil: 'commit' });
  // Since the navigation began, by the page's own clock. The look costs the page less than waiting for a locator.
  const shownAt = await page.waitForFunction(
    () => document.querySelector('.estimate strong') && performance.now(),
    null,
    { polling: 10 },
  );
  const ms = Math.round((await shownAt.jsonValue()) ?? 0);
  const before = [...loaded.all];
  return {
    ms,
    beforePrice: loaded.begunBefore('/price-estimate'),
    bytesBeforePrice: before.reduce((sum, { bytes }) => sum + bytes, 0),
    bytesOfMap: () =>
      loaded.all.filter(({ url }) => isOfMap.test(url)).reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The requests in the order of their ends, with what came over the network; and in that of their beginnings. */
function watchLoading(cdp: CDPSession) {
  const begun: string[] = [];
  const urls = new Map<string, string>();
  const all: { url: string; bytes: number }[] = [];
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => {
    begun.push(request.url);
    urls.set(requestId, request.url);
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    all.push({ url: urls.get(requestId) ?? '', bytes: encodedDataLength }),
  );
  return {
    all,
    begunBefore: (end: string) =>
      begun.slice(
        0,
        begun.findIndex((url) => url.endsWith(end)),
      ),
  };
}
