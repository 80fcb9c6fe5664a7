/** LIVE mode: another colour, and nothing that only TEST mode has. */
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { advertiser, offerForm, topUp } from '../../harness/advertiser.ts';
import { create, ownPicture, pay, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal, reloadUntil } from './portal-under-test.ts';

export function walksOfLiveMode(portal: () => Portal): void {
  it.concurrent('LIVE mode has its colour, nothing of TEST mode, and offers paid by card', async () => {
    await using visitor = await portal().admin({ balance: '0' });
    const { page, go } = visitor;
    const inTest = await colourOf(page);
    await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'LIVE' }).click();
    await page.waitForURL(/\/portal\/live$/);
    await page.locator('html[data-mode="live"]').waitFor();
    expect(await colourOf(page)).not.toBe(inTest);
    expect(await page.getByText('TEST mode').count()).toBe(0);

    await go('/portal/live/money');
    await page.getByRole('heading', { name: 'LIVE balance' }).waitFor();
    await page.getByLabel('Amount in GBP', { exact: true }).waitFor();
    expect(await page.getByText(/play money/i).count()).toBe(0);

    await go('/portal/live/offers/new');
    await writeOffer(page, 'For real');
    expect(await page.getByRole('button', { name: /^Use one that/ }).count()).toBe(0);
    expect(await faultsOf(page, 'live-new-offer')).toEqual([]);
    await create(page);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Pay GBP [\d,.]+ by card$/ })
      .click();
    await page.getByRole('heading', { name: 'One step left: pay' }).waitFor();
    expect(await page.getByText('4242').count()).toBe(0);
    await page.getByText(/^GBP.* VAT\.$/).waitFor();
    await pay(page);
    // The page follows the payment in the other tab.
    await page.getByText(/^It is paid and is/).waitFor();
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByText('It runs until').waitFor();
    await page.locator('.totals').waitFor();
    await page.getByRole('link', { name: /^INV-\d+$/ }).waitFor();
    expect(await page.getByText('Simulate').count()).toBe(0);
    expect(await faultsOf(page, 'live-offer')).toEqual([]);
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.getByRole('link', { name: 'For real', exact: true }).waitFor();
    expect(await faultsOf(page, 'offers')).toEqual([]);
    await go('/portal/live/money');
    await page.getByRole('cell', { name: 'Offer: For real' }).waitFor();
    expect(await faultsOf(page, 'money')).toEqual([]);

    await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'TEST' }).click();
    await page.locator('html[data-mode="test"]').waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/test/money');
  });

  it.concurrent('LIVE money is spent only after a summary, by a button that names the amount', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, id } = visitor;
    await topUp(system, id, 'live');
    await go('/portal/live/money');
    const balance = poundsIn(await page.locator('.balance').innerText());
    await go('/portal/live/offers/new');
    await writeOffer(page, 'Two for one');
    await page.getByLabel('From the LIVE balance').check();
    await create(page);
    const summary = page.getByRole('dialog', { name: 'Pay and publish?' });
    await summary.getByText('10 miles around London').waitFor();
    await summary.getByText('Everybody').waitFor();
    const publish = summary.getByRole('button', { name: /^Pay GBP \d+\.\d\d from the balance$/ });
    const price = poundsIn(await publish.innerText());
    const afterwards = poundsIn(await summary.getByText(/afterwards/).innerText());
    expect(afterwards).toBeCloseTo(balance - price, 2);
    expect(await faultsOf(page, 'live-purchase')).toEqual([]);
    // A second press of the key that opened the summary buys nothing.
    await page.keyboard.press('Enter');
    await summary.waitFor({ state: 'detached' });
    await go('/portal/live/offers');
    await page.getByText('There is no LIVE offer yet').waitFor();

    await go('/portal/live/offers/new');
    await page.getByText('This is your draft from before').waitFor();
    await page.getByLabel('Picture', { exact: true }).setInputFiles(ownPicture);
    await page.locator('.estimate strong').waitFor();
    await create(page);
    await publish.click();
    await page.getByText(/^It is paid from the LIVE balance and is/).waitFor();
    await go('/portal/live/money');
    await eventually(async () =>
      expect(poundsIn(await page.locator('.balance').innerText())).toBeCloseTo(afterwards, 2),
    );
  });

  it.concurrent('an unpaid offer says that its time passes, and is paid from the list', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, key } = visitor;
    const form = await offerForm({ title: 'Paid later', payment_method: 'E' });
    const caller = advertiser(system, key);
    const { body } = await caller.create(form);
    // Ten minutes of its hour pass unpaid.
    expect((await caller.json('POST', '/test/clock', { advance_seconds: 600 })).status).toBe(200);
    await go(`/portal/test/offers/${body.offer_id}`);
    await page.getByText(/^Its time passes until it is paid/).waitFor();
    await page.getByRole('link', { name: 'Pay for Paid later' }).waitFor();
    expect(await faultsOf(page, 'unpaid-offer')).toEqual([]);
    await page.getByRole('link', { name: 'All offers' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Paid later' });
    await row.getByText('Its time passes').waitFor();
    expect(await faultsOf(page, 'unpaid-offers')).toEqual([]);
    await pay(page, 'Pay for Paid later');
    await go(`/portal/test/offers/${body.offer_id}`);
    await page.getByText('It runs until').waitFor();
    await reloadUntil(page, page.getByText('for time in which it did not run'));
    // What the list calls its spend is the price less that credit.
    const credited = poundsIn(await page.getByText('for time in which it did not run').innerText());
    const cost = poundsIn(await page.getByText(/^GBP.* VAT, by card$/).innerText());
    await go('/portal/test/offers');
    const spend = poundsIn(await row.locator('[data-label="Spend"]').innerText());
    expect(spend).toBeCloseTo(cost - credited, 2);

    // The sentence about a deletion names what the deletion credits, as the statement does, and not what was credited before.
    await row.getByRole('button', { name: 'Delete Paid later' }).click();
    await page.getByText('was credited before').waitFor();
    await page.getByRole('button', { name: 'Delete the offer' }).click();
    const told = poundsIn(await page.getByText(/is credited to the TEST balance/).innerText());
    await go('/portal/test/money');
    const booked = page
      .getByRole('row')
      .filter({ hasText: 'Credit for time in which the offer did not run' });
    await reloadUntil(page, booked.nth(1));
    expect(await booked.count()).toBe(2);
    expect(poundsIn(await booked.first().innerText())).toBeCloseTo(told, 2);
  });
}

/** The amount of a text such as "Pay GBP 84.43 from the balance". */
export function poundsIn(text: string): number {
  return Number(/GBP\s([\d,.]+\d)/.exec(text)?.[1]?.replaceAll(',', ''));
}

/** The colours of the line on top of the page and of the current mode. */
async function colourOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { borderTopColor } = getComputedStyle(document.querySelector('header') ?? document.body);
    const current = document.querySelector('.modes [aria-current]');
    return `${borderTopColor} ${current === null ? '' : getComputedStyle(current).backgroundColor}`;
  });
}
