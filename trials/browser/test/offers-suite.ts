/** What a marketer does in TEST mode: fills the balance, creates an offer, watches it run, and deletes it. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { advertiser, hourMs, inFuture, newOrganisation, offerForm } from '../../harness/advertiser.ts';
import { payAsAPersonWould } from '../../harness/simulators.ts';
import { create, ownPicture, pay, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal, reloadUntil } from './portal-under-test.ts';

export function walksOfOffers(portal: () => Portal): void {
  it.concurrent('an offer is paid from a topped-up balance, seen in charts and credited', async () => {
    await using visitor = await portal().admin({ balance: '0' });
    const { page, go } = visitor;

    await go('/portal/test/money');
    await page.getByLabel('Amount in GBP', { exact: true }).fill('100');
    await page.getByText('The card pays GBP 120.00').waitFor();
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await pay(page);
    await page.getByText('GBP 100.00 arrived on the balance').waitFor();
    await page.getByLabel('Play money in GBP').fill('5000');
    await page.getByRole('button', { name: 'Add play money' }).click();
    await page.getByText('GBP 5,000.00 of play money was added').waitFor();
    await page.locator('.balance').getByText('GBP 5,100.00').waitFor();

    await go('/portal/test/offers');
    await page.getByText('There is no TEST offer yet').waitFor();
    expect(await faultsOf(page, 'offers-empty')).toEqual([]);

    await page.getByRole('link', { name: 'Create the first one' }).click();
    await writeOffer(page, 'Two for one');
    await moveByKeyboard(page);
    expect(await faultsOf(page, 'new-offer')).toEqual([]);
    await page.getByLabel('From the TEST balance').check();
    await create(page);
    await page.getByRole('heading', { name: 'The offer is created' }).waitFor();
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByText('It runs until').waitFor();

    // The figures move what is below them.
    await page.locator('.totals').waitFor();
    await page.getByText('Simulate views and clicks').click();
    await page.getByRole('spinbutton', { name: 'Views' }).fill('240');
    await page.getByRole('spinbutton', { name: 'Clicks' }).fill('17');
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await page.getByText('240 views and 17 clicks were added').waitFor();
    // The page asks each half minute; a reload asks at once.
    await reloadUntil(page, page.locator('.totals').getByText('7.1%', { exact: true }));
    await page.locator('.chart canvas').first().waitFor();
    expect(await page.locator('.results dd').allInnerTexts()).toEqual([
      expect.stringMatching(/^[\d,]+$/),
      expect.stringMatching(/^GBP\s\d/),
      expect.stringMatching(/^GBP\s\d/),
      expect.stringMatching(/ of 24 hours$/),
    ]);
    await page.getByRole('button', { name: 'Dates' }).click();
    await page.getByLabel('From').fill('2026-01-02');
    await page.getByLabel('To').fill('2026-01-01');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('must not be before `from`').waitFor();
    const today = new Date().toISOString().slice(0, 10);
    await page.getByLabel('From').fill(today);
    await page.getByLabel('To').fill(today);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('each hour').waitFor();
    await page.locator('.totals').getByText('7.1%', { exact: true }).waitFor();
    expect(await faultsOf(page, 'offer')).toEqual([]);

    await page.getByRole('button', { name: 'Delete Two for one' }).click();
    await page.getByText('would be credited to the TEST').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
    expect(await faultsOf(page, 'delete-offer')).toEqual([]);
    await page.getByRole('button', { name: 'Delete the offer' }).click();
    await page.getByText('is credited to the TEST balance').waitFor();
    // The page of a deleted offer stays readable, with what was credited.
    await page.reload();
    await page.getByText('It was deleted on').waitFor();
    await page.getByText('for its unused time, to the balance').waitFor();
    expect(await page.getByRole('button', { name: /^(Pause|Delete|Extend)/ }).count()).toBe(0);
    expect(await faultsOf(page, 'deleted-offer')).toEqual([]);

    await go('/portal/test/money');
    const booked = (cause: string) => page.getByRole('rowheader', { name: cause }).first();
    await reloadUntil(page, booked('Credit for time in which the offer did not run'));
    for (const cause of ['Top-up by card', 'Play money', 'Offer bought']) await booked(cause).waitFor();
  });

  it.concurrent('the statement shows some kinds of bookings alone, with their sums, and its address too', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    const buyer = advertiser(system, key);
    const { body } = await buyer.create(await offerForm({ title: 'Deleted soon' }));
    // They begin later, so that no time passes before they are paid, which would be credited.
    const later = { payment_method: 'E', start_datetime: inFuture(hourMs / 2) };
    const byCard = await buyer.create(await offerForm({ ...later, title: 'Tea by card' }));
    await payAsAPersonWould(byCard.body.payment_url);
    const month = new Date().toISOString().slice(0, 7);
    const places = JSON.stringify([
      { latitude: 51.5136, longitude: -0.1365 },
      { latitude: 51.5416, longitude: -0.1433 },
    ]);
    const form = await offerForm({ ...later, title: 'Twice', 'location[]': undefined, places });
    const headers = { 'idempotency-key': randomUUID() };
    const { body: group } = await buyer.request('POST', '/offer-groups', { body: form, headers });
    await buyer.request('DELETE', `/offers/${body.offer_id}`);
    await go('/portal/test/offers');
    await page.locator('.group-row').getByRole('link', { name: 'Twice', exact: true }).click();
    // The list has a button to pay too.
    await page.getByRole('heading', { level: 1, name: 'Twice' }).waitFor();
    await page.getByRole('link', { name: 'Pay for Twice' }).waitFor();
    // One action comes first.
    expect(await page.locator('a.button:not(.quiet)').count()).toBe(1);
    const ofGroup = page.url();
    await payAsAPersonWould(group.payment_url);
    await go('/portal/test/money');
    const row = (name: string) => page.getByRole('rowheader', { name });
    await reloadUntil(page, row('Several offers paid by card'));
    await row('Several offers paid by card').getByRole('link').click();
    await page.waitForURL(ofGroup);
    await page.goBack();
    await reloadUntil(page, row('Credit for time in which the offer did not run: Deleted soon'));
    await reloadUntil(page, row('Offer paid by card: Tea by card'));
    const show = (title: string) => page.getByLabel('Show').selectOption(title);
    await show('Credits');
    await row('Offer paid by card').waitFor({ state: 'detached' });
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([
      expect.stringMatching(/: Deleted soon$/),
    ]);
    await show('Payments by card');
    await row('Offer paid by card: Tea by card').waitFor();
    const paid = await page.getByText(/^by card GBP.* VAT$/).allInnerTexts();
    expect(paid).toHaveLength(2);
    const [net, vat] = (await page.locator('.totals dd').allInnerTexts()).slice(-2).map(penceIn);
    const parts = paid.map((text) => text.split(' and ').map(penceIn));
    expect([net, vat]).toEqual([0, 1].map((part) => parts.reduce((sum, each) => sum + (each[part] ?? 0), 0)));
    await page.getByLabel('Period').selectOption(month);
    await page.getByText('Months are those of UTC').waitFor();
    expect(await faultsOf(page, 'money-filtered')).toEqual([]);
    await page.reload();
    await row('Offer paid by card: Tea by card').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(2);
    await show('Refunds and disputes');
    await page.getByText('No such transactions').waitFor();
  });

  it.concurrent('an offer is edited, duplicated, and extended once by two clicks', async () => {
    await using visitor = await portal().visitor();
    const { system, page, go, signIn } = visitor;
    const { adminEmail, key } = await newOrganisation(system);
    const form = await offerForm({ title: 'Salsa for two', payment_method: 'B' });
    const { body } = await advertiser(system, key).create(form);
    const { offer_id: id } = body as { offer_id: number };
    await signIn(adminEmail);

    await go(`/portal/test/offers/${id}`);
    const picture = await page.getByAltText('Picture of the offer').getAttribute('src');
    const duplicate = page.getByRole('link', { name: 'Duplicate' });
    expect(await duplicate.getAttribute('href')).toBe(`/portal/test/offers/new?from=${id}`);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Title').fill('Tango for two');
    await page.getByLabel('Picture', { exact: true }).setInputFiles(ownPicture);
    await page.getByText('540 × 540 pixels').waitFor();
    await page.getByLabel('Preview of what members see').getByText('Tango for two').waitFor();
    expect(await faultsOf(page, 'edit-offer')).toEqual([]);
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByRole('heading', { name: 'The offer is changed' }).waitFor();
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByRole('heading', { name: 'Tango for two' }).waitFor();
    expect(await page.getByAltText('Picture of the offer').getAttribute('src')).not.toBe(picture);

    await page.getByRole('button', { name: 'Extend' }).waitFor();
    // As the mail "Offer ends soon" leads there.
    await go(`/portal/test/offers/${id}?extend=yes`);
    const dialog = page.getByRole('dialog');
    await dialog.locator('.estimate strong').waitFor();
    expect(await faultsOf(page, 'extend-offer')).toEqual([]);
    await dialog.getByLabel('From the TEST balance').check();
    await dialog.getByRole('button', { name: /^(Buy|Pay)/ }).dblclick();
    await page.getByRole('heading', { name: 'The offer is extended' }).waitFor();
    await page.getByRole('link', { name: 'Go to the following offer' }).click();
    await page.getByText('It is paid and will be shown from').waitFor();
    await page.getByRole('link', { name: `offer ${id}` }).click();
    await page.getByText('It continues until').waitFor();
    const changes = page.getByRole('list').filter({ hasText: 'Created' });
    await changes.getByText('Extended by').waitFor();
    expect(
      (await changes.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/, \d.*/s, '')),
    ).toEqual([
      expect.stringMatching(new RegExp(`^Extended by offer \\d+\\s+${adminEmail}$`)),
      `Edited: title, image\n${adminEmail}`,
      `Created\nAPI key …${key.slice(-4)}`,
    ]);
    expect(await faultsOf(page, 'offer-changes')).toEqual([]);
    await go('/portal/test/offers');
    await page.getByRole('row').filter({ hasText: 'Tango for two' }).nth(1).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'Tango for two' }).count()).toBe(2);
  });

  it.concurrent('results stand on Home and in the list, which is searched, sorted and changed in bulk', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    await page.getByText('What to do next').waitFor();
    const titles = ['Two coffees', 'Tea for two', 'Coffee to go'];
    for (const title of titles) await advertiser(system, key).create(await offerForm({ title }));

    await go('/portal/test/offers');
    await page.getByRole('link', { name: 'Two coffees' }).click();
    await page.getByText('Simulate views and clicks').click();
    await page.getByRole('spinbutton', { name: 'Views' }).fill('1000');
    await page.getByRole('spinbutton', { name: 'Clicks' }).fill('25');
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await page.getByText('1,000 views and 25 clicks were added').waitFor();

    await go('/portal/test');
    await page.getByRole('link', { name: '3 Active' }).waitFor();
    const best = page.getByRole('region', { name: 'Most views in the last 7 days' });
    await best.getByRole('link', { name: 'Two coffees' }).waitFor();
    await page.getByText('2.5%').first().waitFor();
    // Today is the only day with views. The part of a day with which the period begins has none.
    const heights = await page
      .locator('.bars > div > div')
      .evaluateAll((bars: HTMLElement[]) => bars.map(({ offsetHeight }) => offsetHeight));
    expect(heights.filter((height) => height > 0)).toHaveLength(1);
    await page.getByRole('button', { name: '30 days' }).click();
    await page.getByRole('heading', { name: 'Most views in the last 30 days' }).waitFor();
    await page.getByRole('button', { name: 'Dates' }).click();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'Most views in these days' }).waitFor();
    expect(await faultsOf(page, 'home-results')).toEqual([]);

    await page.getByRole('link', { name: '3 Active' }).click();
    await page.getByLabel('Order').selectOption('Most views');
    const rows = page.locator('.offer-row');
    const listed = () => page.locator('.offer-row th a').allInnerTexts();
    await eventually(async () => expect((await listed())[0]).toBe('Two coffees'));
    expect(await rows.first().innerText()).toMatch(/1,000[^]*25[^]*2\.5%/);
    await page.getByLabel('Search').fill('coffee');
    await eventually(async () => expect(await listed()).toEqual(['Two coffees', 'Coffee to go']));
    expect(new URL(page.url()).search).toBe('?search=coffee&state=active&sort=most_views');

    await page.getByLabel('Choose all listed offers').check();
    await page.getByText('2 chosen').waitFor();
    expect(await faultsOf(page, 'offers-chosen')).toEqual([]);
    await page.getByRole('button', { name: 'Pause 2' }).click();
    await page.getByText('2 offers were paused.').waitFor();
    await page.getByText('No matching offers').waitFor();
    await page.getByRole('button', { name: 'Show all offers' }).click();
    await eventually(async () => expect(await listed()).toHaveLength(3));

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^[a-z0-9-]+-offers-test-\d{4}-\d\d-\d\d\.csv$/);

    await page.getByRole('button', { name: 'Delete Tea for two' }).click();
    await page.getByRole('button', { name: 'Delete the offer' }).click();
    await eventually(async () => expect(await listed()).toHaveLength(2));
    await page.getByLabel('State').selectOption('Deleted');
    await page.getByRole('row').filter({ hasText: 'Tea for two' }).getByText('Deleted').waitFor();
    expect(await faultsOf(page, 'offers-deleted')).toEqual([]);
  });

  it.concurrent('an organisation chooses its time zone, and charts have its days', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    const { body } = await advertiser(system, key).create(await offerForm({ title: 'Two coffees' }));
    const { offer_id: id } = body as { offer_id: number };
    await go(`/portal/test/offers/${id}`);
    await page.getByText('Nobody saw or clicked this offer').waitFor();
    await go('/portal/test/settings');
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Kolkata');
    await page.getByRole('button', { name: 'Save the time zone' }).click();
    await page.getByText('Saved. Charts show its days').waitFor();
    expect(await faultsOf(page, 'settings-time-zone')).toEqual([]);
    await go(`/portal/test/offers/${id}`);
    await page.getByText('(Asia/Kolkata)').waitFor();
  });

  it.concurrent('the test clock lets an offer of next week end at once', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    const period = { start_datetime: inFuture(24 * hourMs), expiry_datetime: inFuture(48 * hourMs) };
    const form = await offerForm({ title: 'Next week', ...period });
    await advertiser(system, key).create(form);
    await go('/portal/test/offers');
    const row = page.getByRole('row').filter({ hasText: 'Next week' });
    await row.getByText('Scheduled').waitFor();
    await page.getByText('Test clock', { exact: true }).click();
    await page.getByText('the real time').waitFor();
    await page.getByRole('button', { name: '+ 1 day' }).click();
    await page.getByText('The time of your TEST offers is').waitFor();
    await row.getByText('Active').waitFor();
    await page.locator('.mode-note').getByText('test clock it is').waitFor();
    expect(await faultsOf(page, 'test-clock')).toEqual([]);
    await page.getByRole('button', { name: 'Back to the real time' }).click();
    await page.getByText('when every TEST offer of the organisation has ended or was deleted').waitFor();
    await page.getByLabel('To a moment', { exact: true }).fill(inFuture(5 * 24 * hourMs).slice(0, 16));
    await page.getByRole('button', { name: 'Move the clock' }).click();
    await row.getByText('Ended').waitFor();
    await page.getByRole('button', { name: 'Back to the real time' }).click();
    await page.getByRole('button', { name: 'Back to the real time' }).waitFor({ state: 'detached' });
    await row.getByText('Ended').waitFor();

    await go('/portal/live/offers');
    await page.getByRole('heading', { name: 'Offers' }).waitFor();
    expect(await page.getByText('Test clock', { exact: true }).count()).toBe(0);
  });
}

/** Moves the circle on the map, and changes its radius. */
async function moveByKeyboard(page: Page): Promise<void> {
  const longitude = page.getByLabel('Longitude');
  const before = Number(await longitude.inputValue());
  await page.locator('.target').scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Centre of the circle' }).press('ArrowRight');
  await eventually(async () => expect(Number(await longitude.inputValue())).toBeGreaterThan(before));
  await page.getByLabel('Radius').fill('15');
  await page.locator('.estimate strong').waitFor();
  await page.locator('.leaflet-tile-loaded').first().waitFor();
}

function penceIn(text: string): number {
  return Number(text.replaceAll(/\D/g, ''));
}
