/** A chain's marketer: offers for several places in one go, and the places that the organisation keeps. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { png } from '@offer-ads/testing/pictures/pictures';
import type { Page } from 'playwright-core';
import { advertiser, london, offerForm } from '../../harness/advertiser.ts';
import { choosePicture, create, pay, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

export function walksOfPlaces(portal: () => Portal): void {
  it.concurrent('a chain buys for three places by postcode with one payment, and sees them together', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Two for one');
    await addPlace(page, 'M1 2AB');
    await addPlace(page, 'B1 1BB');
    await page.locator('.estimate').getByText('at 3 places').waitFor();
    await page.locator('.map-circle').nth(2).waitFor();
    expect(await faultsOf(page, 'new-offer-places')).toEqual([]);

    // A place in the sea: it is named with what to do, and buys nothing.
    await addPlace(page, '48.1, -30.2');
    await page.locator('.place-list').getByText('No members: move it').waitFor();
    await page.locator('.estimate').getByText('One place has no members').waitFor();
    await create(page);
    await page.getByText('Choose a place with members first.').waitFor();
    await page
      .locator('.place-list [data-current="true"]')
      .getByRole('button', { name: /^Remove/ })
      .click();

    await page.getByRole('radio', { name: 'By card' }).check();
    await page.locator('.estimate[data-waiting="false"]').getByText('at 3 places').waitFor();
    const prices = await page.locator('.place-list li > span').allInnerTexts();
    const pence = (text: string) => Number(/GBP ([\d,.]+)/.exec(text)?.[1]?.replace(/[,.]/g, ''));
    expect(prices.map(pence).reduce((sum, each) => sum + each, 0)).toBe(
      pence(await page.locator('.estimate .figure').innerText()),
    );
    await create(page);
    await page.getByRole('heading', { name: 'One step left: pay' }).waitFor();
    expect(await faultsOf(page, 'pay-group')).toEqual([]);
    await pay(page);
    await page.getByText(/^It is paid and is/).waitFor();
    await page.getByRole('link', { name: 'Go to the offers' }).click();
    await page.locator('.page-head').getByText('3 places').waitFor();
    await page.getByText('3 of 3').waitFor();
    await page.getByRole('link', { name: 'M1 2AB' }).waitFor();
    // One payment has one invoice.
    await page.locator('.totals').getByRole('link').waitFor();
    // What one place brings is in the chart of all.
    await page.getByRole('link', { name: 'M1 2AB' }).click();
    await page.getByText('Simulate views and clicks (TEST mode)').click();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('100 views and 7 clicks were added.').waitFor();
    await page.getByRole('link', { name: 'with its other places' }).click();
    await page.waitForURL('**/offers/groups/*');
    const chart = page.getByRole('region', { name: 'Views and clicks' });
    await chart.locator('dd').filter({ hasText: /^100$/ }).waitFor();
    await chart.locator('canvas').waitFor();
    await page.locator('.map-circle').nth(2).waitFor();
    expect(await faultsOf(page, 'group')).toEqual([]);
    await page.getByRole('button', { name: 'Extend all' }).waitFor();
  });

  it.concurrent('a chain extends, edits, pauses and deletes what it bought for three places together', async () => {
    await using visitor = await portal().admin();
    const { page, go, key } = visitor;
    const places = [
      { latitude: london[0], longitude: london[1], label: 'London' },
      { latitude: 53.478, longitude: -2.234, label: 'M1 2AB' },
      { latitude: 52.481, longitude: -1.899, label: 'B1 1BB' },
    ];
    const form = await offerForm({ 'location[]': undefined, places: JSON.stringify(places) });
    const headers = { 'idempotency-key': randomUUID() };
    const bought = await advertiser(portal().system, key).request('POST', '/offer-groups', {
      body: form,
      headers,
    });
    expect(bought).toMatchObject({ status: 200 });
    await go('/portal/test/offers');
    await page.getByRole('link', { name: 'Two for one', exact: true }).first().click();
    await page.getByRole('button', { name: 'Extend all' }).waitFor();
    // As the mail "Offers end soon" leads there.
    await go(`${new URL(page.url()).pathname}?extend=yes`);
    const dialog = page.getByRole('dialog');
    await dialog.locator('.estimate strong').waitFor();
    expect(await faultsOf(page, 'extend-group')).toEqual([]);
    await dialog.getByLabel('From the TEST balance').check();
    const buyAgain = dialog.getByRole('button', { name: /^Pay GBP [\d,.]+ from the balance$/ });
    const stopRising = await risingPrice(page);
    await buyAgain.click();
    await dialog.getByText(/^The price is now GBP\s[\d,.]+, without VAT. Nothing was bought/).waitFor();
    await stopRising();
    await buyAgain.dblclick();
    await page.getByRole('heading', { name: 'The offers are extended' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'the following offers' }).waitFor();
    expect(await page.getByRole('button', { name: 'Extend all' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Edit all: Two for one' }).click();
    await page.getByLabel('Title').fill('Half price');
    expect(await faultsOf(page, 'edit-group')).toEqual([]);
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText('is changed at 3 places.').waitFor();
    await page.getByRole('link', { name: 'Go to the offers' }).click();
    // A list with a part of them does nothing with all.
    await page.getByRole('button', { name: 'Pause Half price (M1 2AB)' }).click();
    await page.getByRole('button', { name: 'Resume Half price (M1 2AB)' }).waitFor();
    await page.getByRole('button', { name: 'Pause Half price (B1 1BB)' }).click();
    await page.getByRole('button', { name: 'Resume Half price (B1 1BB)' }).waitFor();
    await go('/portal/test/offers?state=paused');
    await page.locator('.group-row').getByText('Only these are listed here.').waitFor();
    expect(await page.getByRole('button', { name: /^(Pause|Resume|Delete) all/ }).count()).toBe(0);
    expect(await faultsOf(page, 'offers-part-of-group')).toEqual([]);
    await page.getByRole('link', { name: 'All 3 of the order' }).click();
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Pause all: Half price' }).click();
    await page.getByText('One offer was paused.').waitFor();

    await page.getByRole('link', { name: 'All offers' }).click();
    await page.locator('.group-row').filter({ hasText: 'Half price' }).getByText('3 places').waitFor();
    await page.getByRole('button', { name: 'Resume all: Half price' }).waitFor();
    expect(await faultsOf(page, 'offers-group')).toEqual([]);
    await page.getByRole('button', { name: 'Delete all: Half price' }).click();
    await dialog.locator('.credit .figure').filter({ hasText: 'GBP' }).waitFor();
    expect(await faultsOf(page, 'delete-group')).toEqual([]);
    await page.getByRole('button', { name: 'Delete the offers' }).click();
    await page.getByText('3 offers were deleted.').waitFor();
  });

  it.concurrent('a file of offers is bought: checked as a whole, mended, priced, paid once, exported and imported again', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers');
    await page.getByRole('link', { name: 'Import offers (CSV)' }).click();
    const day = (later: number) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
    const columns =
      'label;title;description;url;category_id;place;radius;gender;start_datetime;expiry_datetime;image';
    const rowOf = (title: string, place: string, radius: string, image = '') =>
      `Branch;${title};"Pay less; eat more";https://example.com/a;1;${place};${radius};Female|Male;${day(2)} 10:00;${day(3)} 10:00;${image}`;
    const choose = async (lines: readonly string[]) => {
      const buffer = Buffer.from(`\uFEFF${[columns, ...lines].join('\r\n')}\r\n`);
      await page.getByLabel('CSV file').setInputFiles({ name: 'offers.csv', mimeType: 'text/csv', buffer });
    };
    const check = () => page.getByRole('button', { name: 'Check and price' }).click();
    await choosePicture(page);
    await choose([rowOf('=Two for one', 'M1 2AB', '£10'), rowOf('', 'Nowhere at all 99', '10')]);
    await check();
    const fault = (text: string) => page.getByRole('row', { name: text }).waitFor();
    await fault('2 radius must be a whole number of miles from 5 to 30');
    await fault('3 title is missing');
    await fault('3 place is not known');
    expect(await faultsOf(page, 'import-faults')).toEqual([]);

    const rows = [rowOf('=Two for one', 'M1 2AB', '10'), rowOf('Free tea', 'London', '10', 'tea.png')];
    await choose(rows);
    await check();
    await fault('3 – image names a picture that is not among those chosen above');
    const tea = { name: 'tea.png', mimeType: 'image/png', buffer: await png({ seed: 5 }) };
    await page.getByLabel('Pictures that rows name').setInputFiles([tea, { ...tea, name: 'unused.png' }]);
    await page.getByText('tea.png, unused.png').waitFor();
    await check();
    await page.getByRole('row', { name: /^2 =Two for one Branch · M1 2AB/ }).waitFor();
    expect(await faultsOf(page, 'import-prices')).toEqual([]);
    await page.getByRole('button', { name: /^Pay GBP [\d,.]+ from the balance$/ }).dblclick();
    await page.getByText('2 offers that were ordered together').waitFor();
    await page.getByRole('link', { name: 'Free tea' }).waitFor();
    expect(await faultsOf(page, 'import-bought')).toEqual([]);

    await go('/portal/test/offers/import');
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download your offers' }).click();
    const exported = await readFile(await (await begun).path(), 'utf8');
    expect(exported).toContain("\r\nBranch,'=Two for one,Pay less; eat more,");
    const again = async (file: string) => {
      await page
        .getByLabel('CSV file')
        .setInputFiles({ name: 'again.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
      await check();
      await page.getByRole('button', { name: /from the balance$/ }).click();
    };
    await again(exported);
    await page.getByText('2 offers that were ordered together').waitFor();
    await go('/portal/test/offers');
    await page.locator('.group-row').nth(1).waitFor();
    expect(await page.locator('.group-row').count()).toBe(2);

    // The same file once more: nothing is bought unless the person says so.
    await go('/portal/test/offers/import');
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'again.csv', mimeType: 'text/csv', buffer: Buffer.from(exported) });
    await check();
    const before = page.getByText('These rows were bought before.');
    const orders = page.getByRole('link', { name: 'Go to the offers' });
    await before.waitFor();
    const first = await orders.getAttribute('href');
    // Then the answer is lost: the page finds that order, and does not ask to buy it again.
    let sent = 0;
    await page.route(/\/portal\/api\/test\/offer-groups$/, async (route) => {
      sent += 1;
      if (sent > 1) return route.fulfill({ status: 403, json: { message: 'Not now.' } });
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Buy them once more' }).click();
    await page.getByRole('button', { name: /from the balance$/ }).click();
    await before.waitFor();
    expect(await orders.getAttribute('href')).not.toBe(first);
    expect(await page.getByText('not known yet').count()).toBe(0);
    await orders.click();
    await page.getByText('2 offers that were ordered together').waitFor();
  });

  it.concurrent('a place is saved under a name, chosen by a click in both modes, renamed and deleted', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Two for one', 'Manchester');
    await page.getByRole('button', { name: 'Save this place' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this place' });
    await dialog.getByLabel('Name').fill('Piccadilly');
    expect(await faultsOf(page, 'save-place')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save the place' }).click();
    await page.getByRole('checkbox', { name: 'Piccadilly', checked: true }).waitFor();

    await go('/portal/live/offers/new');
    // The names of towns come with the map.
    await page.locator('.target').scrollIntoViewIfNeeded();
    await page.getByText('miles around London').waitFor();
    await page.getByRole('checkbox', { name: 'Piccadilly' }).check();
    await page.getByText('miles around Manchester').waitFor();
    expect(await page.getByLabel('Find a place').inputValue()).toBe('Piccadilly');

    await go('/portal/test/settings');
    await page.getByRole('button', { name: 'Rename Piccadilly' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Manchester Piccadilly');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('button', { name: 'Delete Manchester Piccadilly' }).click();
    expect(await faultsOf(page, 'settings-places')).toEqual([]);
    await page.getByRole('button', { name: 'Delete the place' }).click();
    await page.getByText('No place is saved yet').waitFor();
  });
}

async function addPlace(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Add another place' }).click();
  const field = page.getByLabel('Find a place');
  await field.fill(text);
  if (!text.includes('.')) await page.locator('.suggestions li').first().waitFor();
  await field.press('Enter');
  await page
    .locator('.place-list [data-current="true"]')
    .getByText(/members/i)
    .waitFor();
}

/** Each check of a group costs a pound more than the one before, until the returned function is called. */
async function risingPrice(page: Page): Promise<() => Promise<void>> {
  const path = /\/offer-groups\/check$/;
  let pounds = 0;
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const { offers, ...rest } = (await response.json()) as {
      readonly offers: readonly { cost_minor: string }[];
    };
    pounds += 1;
    const risen = offers.map((offer) =>
      Object.assign({}, offer, { cost_minor: String(Number(offer.cost_minor) + pounds * 100) }),
    );
    await route.fulfill({ response, json: { ...rest, offers: risen } });
  });
  return () => page.unroute(path);
}
