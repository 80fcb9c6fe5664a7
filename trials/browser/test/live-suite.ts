/** LIVE mode: another colour, real words about money, and none of TEST mode's helpers. */
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newOrganisation } from '../../harness/advertiser.ts';
import { create, pay, writeOffer } from './offer-form.ts';
import { describeInBrowser, faultsOf, type Portal } from './portal-under-test.ts';

export function describeLive(portal: () => Portal): void {
  describeInBrowser('LIVE mode', () => {
    it('colours the page, has no helpers of TEST mode, and runs an offer that was paid by card', async () => {
      const { adminEmail } = await newOrganisation(portal().system, { balance: '0' });
      const { page, go, signIn, complaints } = await portal().visitor();
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
      await page.getByRole('heading', { name: 'Pay it to start it' }).waitFor();
      expect(await page.getByText('4242').count()).toBe(0);
      await pay(page);
      await page.getByRole('link', { name: 'Go to the offer' }).click();
      await page.getByText('It runs until').waitFor();
      await page.locator('.totals').waitFor();
      expect(await page.getByText('Simulate').count()).toBe(0);
      expect(await faultsOf(page, 'live-offer')).toEqual([]);

      await page.getByRole('navigation', { name: 'Mode' }).getByRole('link', { name: 'TEST' }).click();
      await page.getByText('There is no TEST offer yet').waitFor();
      expect(complaints).toEqual([]);
    }, 300_000);
  });
}

/** Of what is pressed, and of the line on top of the page. */
async function colourOf(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { borderTopColor } = getComputedStyle(document.querySelector('header') ?? document.body);
    const current = document.querySelector('.modes [aria-current]');
    return `${borderTopColor} ${current === null ? '' : getComputedStyle(current).backgroundColor}`;
  });
}
