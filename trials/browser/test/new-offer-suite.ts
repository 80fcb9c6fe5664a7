/** The form for an offer: its price comes first and stays in sight; budget, picture, and copies of offers. */
import { expect, it } from '@jest/globals';
import { photographLikeJpeg, turnedJpeg } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { advertiser, offerForm } from '../../harness/advertiser.ts';
import { firstPrice, isOfMap } from './first-price.ts';
import { create, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

const BYTES_BEFORE_PRICE = 300 * 1024;
/** The page, the session, five scripts, two style sheets; the icon and the font may have begun too. */
const REQUESTS_BEFORE_PRICE = 11;
/** A phone shows one or two tiles of the map. */
const BYTES_OF_MAP = 300 * 1024;

const phone = { width: 390, height: 844 };

export function walksOfNewOffers(portal: () => Portal): void {
  it.concurrent('a phone asks for the price before it loads the map, with less than 300 KB', async () => {
    await using visitor = await portal().admin();
    const { page } = visitor;
    await page.setViewportSize(phone);
    const cold = await firstPrice(visitor, { isCold: true });
    // The price was asked for, and nothing of the map was, when the answer came.
    expect(cold.beforePrice.filter((url) => isOfMap.test(url))).toEqual([]);
    expect(cold.bytesBeforePrice).toBeLessThan(BYTES_BEFORE_PRICE);
    // Few requests, because each takes a round trip; and the session that was asked for with the page is not asked for again.
    expect(cold.beforePrice.length).toBeLessThanOrEqual(REQUESTS_BEFORE_PRICE);
    expect(cold.beforePrice.filter((url) => url.endsWith('/portal/api/session'))).toHaveLength(1);
    // The map is loaded when it comes near the window.
    expect(cold.bytesOfMap()).toBe(0);
    await page.locator('.target').scrollIntoViewIfNeeded();
    await page.locator('.leaflet-tile-loaded').first().waitFor();
    await page.locator('.town-labels span').getByText('London').waitFor();
    expect(cold.bytesOfMap()).toBeGreaterThan(0);
    expect(cold.bytesOfMap()).toBeLessThan(BYTES_OF_MAP);

    // A member who was in the portal before has its files: what is measured is what such a visit waits for.
    const warm = await firstPrice(visitor, { isCold: false });
    expect(warm.bytesBeforePrice).toBeLessThan(20 * 1024);
  });

  it.concurrent('price and reach stay in sight on a phone, and cover neither fields nor the button', async () => {
    await using visitor = await portal().admin({ terms: false });
    const { page, go } = visitor;
    await page.setViewportSize(phone);
    await go('/portal/test/offers/new');
    // Said before anything is filled in.
    await page.getByRole('link', { name: 'Read and accept them' }).waitFor();
    await page.locator('.estimate strong').waitFor();
    await page.locator('.target').scrollIntoViewIfNeeded();
    await page.locator('.leaflet-tile-loaded').first().waitFor();
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      await page.evaluate((at) => scrollTo(0, at * document.documentElement.scrollHeight), part);
      expect([part, await isInSight(page, '.estimate .figure')]).toEqual([part, true]);
      expect([part, await isInSight(page, '.estimate strong')]).toEqual([part, true]);
    }
    expect(await isInSight(page, 'button.create')).toBe(true);
    await page.evaluate(() => scrollTo(0, 0));
    expect(await coveredFields(page)).toEqual([]);
  });

  it.concurrent('an offer above the budget is not created, and the end that the budget pays for is proposed', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Within the budget');
    const reach = await page.locator('.estimate strong').innerText();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/price-estimate')) asked.push(request.url());
    });
    const budget = page.getByLabel('Budget in GBP');
    await page.getByLabel('From the TEST balance').check();
    await budget.fill('0');
    await create(page);
    await page.getByText('Correct Budget, then pay.').waitFor();
    await budget.fill('£10,00');
    await page.locator('.proposal').getByText('GBP 10.00 pays for').waitFor();
    await create(page);
    await page.getByText('more than your budget of GBP 10.00').waitFor();
    expect(await faultsOf(page, 'new-offer-above-budget')).toEqual([]);
    await budget.fill('100');
    await page.locator('.proposal').getByText('GBP 100.00 pays for').waitFor();
    expect(await page.locator('.proposal .members').innerText()).toBe(reach);
    await page.getByRole('button', { name: 'Use this end' }).click();
    await page.getByText('This is the end of your offer.').waitFor();
    await eventually(async () => {
      const price = Number((await page.locator('.estimate .figure').innerText()).replace(/[^\d.]/g, ''));
      expect(price).toBeLessThanOrEqual(100);
      // It ends at a whole minute, and the price of a unit is known to six decimals.
      expect(price).toBeGreaterThan(99);
    });
    expect(asked.length).toBeLessThanOrEqual(2);
    await create(page);
    await page.getByRole('heading', { name: 'The offer is created' }).waitFor();
    await page.getByRole('button', { name: 'Create another offer' }).click();
    await page.locator('.estimate strong').waitFor();
    expect(await page.locator('.fault').count()).toBe(0);
  });

  it.concurrent('a place that is not known buys nothing and stays as typed, and a postcode buys its place', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Pie and pint');
    await page.getByLabel('From the TEST balance').check();
    const field = page.getByLabel('Find a place');
    await field.fill('ZZ9 9ZZ');
    await field.press('Tab');
    await page.getByText('We do not know this place.').waitFor();
    expect(await field.inputValue()).toBe('ZZ9 9ZZ');
    await page.locator('.estimate').getByText('Choose a place to see the price.').waitFor();
    // From here on: the estimate of the place before may have been asked while this one was typed.
    const placeAsked: string[] = [];
    page.on('request', (request) => {
      if (/\/(offers|price-estimate)$/.test(request.url()) && request.method() === 'POST')
        placeAsked.push(request.url());
    });
    expect(await faultsOf(page, 'new-offer-unknown-place')).toEqual([]);
    await create(page);
    await page.getByText('Choose a place with members first.').waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(placeAsked).toEqual([]);

    // A town of another country is not taken for one of the organisation's.
    await field.fill('Camden');
    const first = page.locator('.suggestions li').first();
    await first.getByText(/^Camden.*United Kingdom$/).waitFor();
    await field.press('Tab');
    await page.getByText('choose one of the list').waitFor();
    expect(await field.inputValue()).toBe('Camden');

    await field.fill('m12ab');
    await field.press('Tab');
    await page.getByText('miles around Manchester, England').waitFor();
    expect(await field.inputValue()).toBe('M1 2AB, United Kingdom');
    await page.locator('.estimate strong').waitFor();
    await create(page);
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByText('10 miles around Manchester, England').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { body: bought } = await advertiser(system, key).request('GET', `/offers/${id}`);
    expect(bought).toMatchObject({ latitude: 53.48, longitude: -2.23 });
  });

  it.concurrent('a picture is dropped, cut to the square by keyboard, and sent as it is shown', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await drop(page, 'wide.jpg', await photographLikeJpeg({ width: 900, height: 600 }));
    await page.getByText('wide.jpg, 600 × 600 pixels').waitFor();
    await eventually(async () => expect(await shownPicture(page)).toEqual({ width: 600, height: 600 }));
    await page.getByText('Adjust what members see of it').click();
    await page.getByRole('slider', { name: 'Zoom' }).focus();
    for (let step = 0; step < 50; step += 1) await page.keyboard.press('ArrowRight');
    await page.getByText('wide.jpg, 400 × 400 pixels: it may look blurred').waitFor();
    await eventually(async () => expect(await shownPicture(page)).toEqual({ width: 400, height: 400 }));
    expect(await faultsOf(page, 'new-offer-crop')).toEqual([]);

    // It is seen upright, so there is nothing to choose from left to right.
    await drop(page, 'turned.jpg', await turnedJpeg({ width: 900, height: 600 }));
    await page.getByText('turned.jpg, 600 × 600 pixels').waitFor();
    expect(await page.getByLabel('Left to right').isDisabled()).toBe(true);
    expect(await page.getByLabel('Top to bottom').isDisabled()).toBe(false);

    await drop(page, 'notes.txt', Buffer.from('no picture'));
    await page.getByText('This file cannot be read as a picture').waitFor();
    await writeOffer(page, 'Two for one');
    await drop(page, 'wide.jpg', await photographLikeJpeg({ width: 900, height: 600, seed: 2 }));
    await page.getByText('wide.jpg, 600 × 600 pixels').waitFor();
    await page.getByLabel('From the TEST balance').check();
    await create(page);
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    const sent = page.locator('.offer-picture');
    await sent.waitFor();
    await eventually(async () =>
      expect(await sent.evaluate((img: HTMLImageElement) => [img.naturalWidth, img.naturalHeight])).toEqual([
        600, 600,
      ]),
    );
  });

  it.concurrent('an offer is copied with its picture, and a draft is not lost by it', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    const form = await offerForm({
      title: 'Quiz night',
      'interests[]': ['1'],
      'gender[]': ['Female'],
      radius: '12',
    });
    const caller = advertiser(system, key);
    const { offer_id: id } = (await caller.create(form)).body;
    await go(`/portal/test/offers/new?from=${id}`);
    await page.getByText('Copied from').waitFor();
    await page.getByText('The picture of the copied offer').waitFor();
    await eventually(async () => expect(await shownPicture(page)).toEqual({ width: 1080, height: 1080 }));
    expect(new URL(page.url()).search).toBe('');
    expect(await page.getByLabel('Title').inputValue()).toBe('Quiz night');
    expect(await page.getByLabel('Female').isChecked()).toBe(true);
    await page.getByText('Radius: 12 miles').waitFor();
    await page.getByLabel('Title').fill('Quiz night again');
    await page.waitForFunction(() => JSON.stringify(sessionStorage).includes('Quiz night again'));

    await go(`/portal/test/offers/new?from=${id}`);
    await page.getByText('You have a draft that is not sent yet').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Quiz night again');
    await page.getByRole('button', { name: 'Replace it with the copy' }).click();
    await eventually(async () => expect(await page.getByLabel('Title').inputValue()).toBe('Quiz night'));
    // When a minute has begun since the copy before, this one ends later and costs more: only a price that was shown is bought.
    await page.locator('.estimate[data-waiting="false"] strong').waitFor();
    await create(page);
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.locator('.offer-picture').waitFor();

    // A deleted offer too.
    await caller.request('DELETE', `/offers/${id}`);
    await go(`/portal/test/offers/new?from=${id}`);
    await page.getByText('Copied from').waitFor();
    await go('/portal/test/offers/new?from=999999999');
    await page.getByText('The offer could not be copied').waitFor();
  });
}

/** Opens the form as on a slow phone, and says what was loaded and how long it took until the price was shown. */
async function isInSight(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      return seen !== null && (element.contains(seen) || seen.contains(element));
    });
}

/** Fields that are hidden behind the bar when the Tab key has reached them. */
async function coveredFields(page: Page): Promise<string[]> {
  const covered: string[] = [];
  await page.getByLabel('Category').focus();
  for (let step = 0; step < 40; step += 1) {
    const found = await page.evaluate(() => {
      const field = document.activeElement as HTMLElement;
      const bar = document.querySelector('.price-bar')?.getBoundingClientRect();
      const { top, bottom } = field.getBoundingClientRect();
      const isBehind = bar !== undefined && bottom > bar.top + 1 && top < bar.bottom - 1;
      return {
        name: `${field.tagName} ${field.textContent.slice(0, 30)}`,
        isBehind,
        isLast: field.matches('.create'),
      };
    });
    if (found.isBehind) covered.push(found.name);
    if (found.isLast) return covered;
    await page.keyboard.press('Tab');
  }
  return [...covered, 'the button was not reached'];
}

/** As somebody who drags a file from the desktop. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const type = name.endsWith('.jpg') ? 'image/jpeg' : 'text/plain';
  const transfer = await page.evaluateHandle(
    ({ name, type, base64 }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
      return data;
    },
    { name, type, base64: bytes.toString('base64') },
  );
  await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: transfer });
}

/** The picture in the preview, as it would be sent. */
async function shownPicture(page: Page) {
  const picture = page.locator('.member-card img');
  await picture.waitFor();
  return picture.evaluate(async (img: HTMLImageElement) => {
    await img.decode();
    return { width: img.naturalWidth, height: img.naturalHeight };
  });
}
