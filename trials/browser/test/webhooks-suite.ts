/** What a developer of an advertiser does with webhooks in the portal. */
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startShop } from '../../harness/shop.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

export function walksOfWebhooks(portal: () => Portal): void {
  it.concurrent('a webhook is created, gets a test message, shows a failure, is changed, rolled, disabled and deleted', async () => {
    await using shop = await startShop();
    await using visitor = await portal().admin();
    const { page } = visitor;
    await page
      .getByRole('navigation', { name: 'Sections' })
      .getByRole('link', { name: 'Webhooks', exact: true })
      .click();
    await page.getByText('No TEST webhook yet').waitFor();
    expect(await faultsOf(page, 'webhooks-empty')).toEqual([]);

    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Address').fill('https://user@shop.example/hooks');
    await page.getByLabel('All events').uncheck();
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('Choose at least one event').waitFor();
    await page.getByLabel('An offer has ended').check();
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('the address contains a user or a password').waitFor();
    expect(await faultsOf(page, 'webhooks-create')).toEqual([]);
    await page.getByLabel('Address').fill(shop.url);
    await page.getByLabel('Description').fill('Web shop');
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    const secretDialog = page.getByRole('dialog', { name: 'The secret of the webhook' });
    shop.secrets.push(await secretDialog.locator('code').innerText());
    expect(await faultsOf(page, 'webhooks-secret')).toEqual([]);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('No messages yet').waitFor();
    expect(await page.content()).not.toContain(shop.secrets[0]);

    const sendTest = async () => {
      await page.getByRole('button', { name: 'Send a test message' }).click();
      await page.getByText('A test message is on its way.').waitFor();
    };
    await sendTest();
    await page.getByRole('table').getByText('Delivered').waitFor();
    expect(shop.events).toMatchObject([{ type: 'webhook.test' }]);

    shop.answer = (res) => res.writeHead(500).end('the shop has no room');
    await sendTest();
    await page.getByRole('table').getByText('Pending').first().waitFor();
    await page.getByText('Failing').waitFor();
    expect(await faultsOf(page, 'webhook')).toEqual([]);
    await page
      .getByRole('button', { name: /^500.*: attempts of webhook\.test$/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('the shop has no room').first().waitFor();
    expect(await faultsOf(page, 'webhook-attempts')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    shop.answer = (res) => res.writeHead(204).end();
    await page
      .getByRole('button', { name: /^Resend webhook\.test/ })
      .first()
      .click();
    await page.getByText('The message is sent again.').waitFor();
    await page.getByRole('table').getByText('Pending').first().waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Roll the secret' }).click();
    expect(await faultsOf(page, 'webhook-roll')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Roll the secret' }).click();
    shop.secrets.unshift(await secretDialog.locator('code').innerText());
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('the one before also signs until').waitFor();
    await sendTest();
    // The second may come twice on a busy machine: by its schedule, just before it is sent again.
    await eventually(() => expect(new Set(shop.events.map(({ timestamp }) => timestamp)).size).toBe(3));

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByLabel('All events').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The webhook is changed.').waitFor();
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('button', { name: 'Disable the webhook' }).click();
    await page.getByText('The webhook is disabled.').waitFor();
    await page.getByRole('button', { name: 'Send a test message' }).waitFor({ state: 'detached' });
    expect(await faultsOf(page, 'webhook-disabled')).toEqual([]);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('The webhook is enabled.').waitFor();
    await page.getByRole('button', { name: 'Resend since …' }).click();
    await page.getByLabel('Since').fill('2026-01-01T00:00');
    await page.getByLabel('Also messages that were delivered').check();
    expect(await faultsOf(page, 'webhook-resend')).toEqual([]);
    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText('3 messages are sent again.').waitFor();

    await page
      .getByRole('navigation', { name: 'Sections' })
      .getByRole('link', { name: 'Webhooks', exact: true })
      .click();
    await page.getByRole('link', { name: shop.url }).waitFor();
    expect(await faultsOf(page, 'webhooks')).toEqual([]);
    await page.getByRole('link', { name: shop.url }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('No TEST webhook yet').waitFor();
  });
}
