/** How a person fills in the form of an offer, and pays. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** In LIVE mode a picture like any other. */
export const ownPicture = fileURLToPath(
  new URL('../../../docs/test-pictures/always-allowed.png', import.meta.url),
);

/** Where the offer leads. */
export const offerUrl = 'https://example.com/two';

/** Everything but the payment method: for a day from now, ten miles around an English city where members are. */
export async function writeOffer(page: Page, title: string, city = 'London'): Promise<void> {
  await page.getByLabel('Category').selectOption({ index: 1 });
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Description').fill('Bring a friend.');
  await page.getByLabel('Web address').fill(offerUrl);
  await choosePicture(page);
  await page.getByLabel('Find a place').fill(`${city} england`);
  await page.locator('.suggestions li').first().waitFor();
  await page.getByLabel('Find a place').press('Enter');
  await page.getByText(`miles around ${city}`).waitFor();
  await page.getByLabel('1 day').check();
  await page.locator('.estimate[data-waiting="false"] strong').waitFor();
}

/** In TEST mode by its helper: a file from the disk would be missing in a request that a walk passes on itself. */
export async function choosePicture(page: Page): Promise<void> {
  if (new URL(page.url()).pathname.startsWith('/portal/test/'))
    await useTestPicture(page, 'Use one that always passes');
  else await page.getByLabel('Picture', { exact: true }).setInputFiles(ownPicture);
  await page.getByText('always-allowed.png').waitFor();
}

export async function useTestPicture(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name });
  if (!(await button.isVisible())) await page.getByText('For testing: pictures').click();
  await button.click();
}

export async function create(page: Page): Promise<void> {
  await page.locator('button.create').click();
}

/** On the card provider's page, in the tab that the link opens. */
export async function pay(
  page: Page,
  link: string | RegExp = /^(Open the payment page|Pay GBP [\d,.]+ by card)$/,
): Promise<void> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: link }).click();
  const tab = await opened;
  await tab.getByRole('button', { name: /^Pay/ }).click();
  await tab.getByText('Thank you').first().waitFor();
  await tab.close();
}
