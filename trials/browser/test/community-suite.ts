/** From an offer that somebody buys in the portal to its views and clicks there, by way of the sample community page. */
import { expect, it } from '@jest/globals';
import { readPictureHeader } from '@offer-ads/contracts/pictures/picture-header';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Locator, Page } from 'playwright-core';
import { create, offerUrl, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal, reloadUntil } from './portal-under-test.ts';

/** No other walk buys an offer there. */
const manchester = { latitude: 53.4808, longitude: -2.2426 };
/** A second is promised; a busy machine may stand still for some. */
const GONE_WITHIN_MS = 5_000;

export function walksOfCommunity(portal: () => Portal): void {
  it.concurrent('an offer is bought, shown to a member, seen and clicked in its statistics, and gone once paused', async () => {
    await using visitor = await portal().admin();
    const { system, page, context, go, openTab } = visitor;

    await go('/portal/test/offers/new');
    await writeOffer(page, 'Matinee for two', 'Manchester');
    await page.getByLabel('From the TEST balance').check();
    await create(page);
    await page.getByRole('heading', { name: 'The offer is created' }).waitFor();
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByText('It runs until').waitFor();

    const community = await openTab(system.state().community);
    await answered(community);
    await community.getByLabel('Latitude').fill(`${manchester.latitude}`);
    await community.getByLabel('Longitude').fill(`${manchester.longitude}`);
    const card = community
      .getByRole('article')
      .filter({ has: community.getByRole('heading', { name: 'Matinee for two' }) });
    await eventually(async () => expect(await cardsShown(community, card)).toBe(1));
    await card.getByText('The Crown').waitFor();
    // The smallest that is wide enough, made for this browser.
    await eventually(async () =>
      expect(await pictureShown(card)).toEqual({ address: expect.stringContaining('_320.'), width: 320 }),
    );
    expect(await faultsOf(community, 'community')).toEqual([]);
    await reloadUntil(page, total(page, 'Views', '1'));

    const led = context.waitForEvent('request', (request) => request.url() === offerUrl);
    await card.getByRole('link', { name: 'See the offer' }).click();
    expect(await (await led).allHeaders()).not.toHaveProperty('referer');
    await reloadUntil(page, total(page, 'Clicks', '1'));
    expect(await total(page, 'Views', '1').count()).toBe(1);

    await page.getByRole('button', { name: 'Pause Matinee for two' }).click();
    await page.getByRole('button', { name: 'Resume Matinee for two' }).waitFor();
    await eventually(async () => expect(await cardsShown(community, card)).toBe(0), {
      timeoutMs: GONE_WITHIN_MS,
    });
  });
}

/** Asks for offers, as a member who opens the page again. */
async function cardsShown(community: Page, card: Locator): Promise<number> {
  const asked = community.waitForResponse('**/test/offers');
  await community.getByRole('button', { name: 'Show offers' }).click();
  expect((await asked).status()).toBe(200);
  await answered(community);
  return card.count();
}

/** The page asks for offers when it is opened, too. */
async function answered(community: Page): Promise<void> {
  // Without cards it has no height.
  await community.locator('main[aria-busy=false]').waitFor({ state: 'attached' });
}

/** What the address answers that the browser chose of the srcset. */
async function pictureShown(card: Locator) {
  const picture = card.locator('img');
  const address = await picture.evaluate((img: HTMLImageElement) => (img.complete ? img.currentSrc : ''));
  const reply = await fetch(address);
  const header = readPictureHeader(new Uint8Array(await reply.arrayBuffer()), 1);
  return { address, width: typeof header === 'string' ? undefined : header.width };
}

function total(page: Page, name: string, figure: string): Locator {
  return page
    .locator('.totals > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByText(figure, { exact: true });
}
