/** LIVE mode: another colour, and nothing that only TEST mode has. */
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newOrganisation } from '../../harness/advertiser.ts';
import { create, pay, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

export function walksOfLiveMode(portal: () => Portal): void {
  it.concurrent('LIVE mode has its colour, nothing of TEST mode, and offers paid by card', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    const { page, go, signIn } = visitor;
    const { adminEmail } = await newOrganisation(system, { balance: '0' });
    await signIn(adminEmail);
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
    await page.getByRole('heading', { name: 'Pay for the offer' }).waitFor();
    expect(await page.getByText('4242').count()).toBe(0);
    await page.getByText(/^Pay GBP.* VAT\.$/).waitFor();
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
}

/** The colours of the line on top of the page and of the current mode. */
async function colourOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { borderTopColor } = getComputedStyle(document.querySelector('header') ?? document.body);
    const current = document.querySelector('.modes [aria-current]');
    return `${borderTopColor} ${current === null ? '' : getComputedStyle(current).backgroundColor}`;
  });
}
