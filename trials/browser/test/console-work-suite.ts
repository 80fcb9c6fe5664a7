/** The daily work of staff: what needs a person, searching and reviewing offers, terms, the catalogue, and erasing a person. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { sendUnreadable } from '@offer-ads/testing/stores/broker';
import { placesWith } from '@offer-ads/testing/stores/find-text';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { advertiser, newOrganisation, offerForm, topUp } from '../../harness/advertiser.ts';
import { mailsTo, payAsAPersonWould } from '../../harness/simulators.ts';
import { addressOf, auditOf, openConsole } from './console-staff.ts';
import { poundsIn } from './live-suite.ts';
import { faultsOf, type Portal, reloadUntil } from './portal-under-test.ts';

export function walksOfStaffWork(portal: () => Portal): void {
  it.concurrent('the overview lists what needs a person, and each entry leads there', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const subject = `offer/${randomUUID()}`;
    await sendUnreadable(system.state().rabbitmq, { service: 'billing', subject, data: {} });
    await openConsole(visitor, system);
    const entry = page.getByRole('link', { name: /events? of billing (is|are) parked/i });
    await reloadUntil(page, entry);
    await page.getByText(/^\d+ things? to do$/).waitFor();
    expect(await page.getByText('Everything works').count()).toBe(0);
    expect(await faultsOf(page, 'console-attention')).toEqual([]);
    await entry.click();
    const event = page.getByRole('article').filter({ hasText: subject });
    await event.getByText('at once, because it cannot be read').waitFor();
    await decide(page, event.getByRole('button', { name: 'Drop …' }), 'Drop for ever');
    await event.waitFor({ state: 'detached' });
  });

  it.concurrent('staff find an offer by words of its title, by its state and by its number', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, key } = await newOrganisation(system);
    const word = `q${randomUUID().slice(0, 8)}`;
    const { body } = await advertiser(system, key).create(await offerForm({ title: `Tea at ${word}` }));
    await openConsole(visitor, system, '/offers');
    await page.getByLabel('Words of the title, or the number').fill(`TEA ${word.slice(0, 6)}`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No matching offer').waitFor();
    await page.getByLabel('Mode').selectOption('TEST');
    await page.getByLabel('State').selectOption('Active');
    await page.getByLabel('Id of the organisation').fill(String(id));
    await page.getByRole('button', { name: 'Search' }).click();
    const found = page.getByRole('link', { name: `${body.offer_id} Tea at ${word}` });
    await found.waitFor();
    expect(await faultsOf(page, 'console-offers')).toEqual([]);
    await found.click();
    await page.getByRole('heading', { name: `Tea at ${word}` }).waitFor();
    await page.goBack();
    await page.getByLabel('Words of the title, or the number').fill(String(body.offer_id));
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(`**/offers/${body.offer_id}`);
  });

  it.concurrent('finance adds money to a balance, and reads revenue, statement and an invoice', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, key } = await newOrganisation(system);
    const buyer = advertiser(system, key);
    await buyer.create(await offerForm({ title: 'Tea from the balance' }));
    const byCard = await buyer.create(await offerForm({ payment_method: 'E', title: 'Tea by card' }));
    await payAsAPersonWould(byCard.body.payment_url);
    await openConsole(visitor, system, `/organisations/${id}`, 'Fay');
    await page.getByRole('link', { name: 'Statement, invoices, revenue' }).click();
    await page.getByText('No transactions').waitFor();
    await page.getByRole('navigation', { name: 'Modes' }).getByRole('link', { name: 'TEST' }).click();
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await reloadUntil(page, row('Offer paid by card: Tea by card'));
    await row('Offer bought: Tea from the balance').waitFor();
    const table = page.getByText('The same figures as a table');
    await table.click();
    expect(await faultsOf(page, 'console-money')).toEqual([]);
    const ofOne = await page.locator('.totals dd').allInnerTexts();
    await page.getByRole('link', { name: 'Revenue', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Revenue' }).waitFor();
    await page.getByRole('navigation', { name: 'Modes' }).getByRole('link', { name: 'TEST' }).click();
    await table.first().click();
    const ofAll = page.locator('.totals').filter({ hasText: 'GBP' });
    await ofAll.waitFor();
    expect(poundsIn(await ofAll.innerText())).toBeGreaterThanOrEqual(poundsIn(ofOne[0] ?? ''));
    expect(await faultsOf(page, 'console-revenue')).toEqual([]);
    // Long before the purchases.
    await page.getByLabel('Period').selectOption({ index: 12 });
    await page.getByText('Nothing was paid or credited').waitFor();
    await page.goBack();
    await page.goBack();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /^TEST-\d+ as PDF$/ }).click();
    expect((await download).suggestedFilename()).toMatch(/^TEST-\d{6}\.pdf$/);

    const reference = `case ${randomUUID()}`;
    await page.getByRole('button', { name: 'Add money …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reference').fill(reference);
    await dialog.getByLabel('Reason').fill('goodwill');
    const add = async (amount: string) => {
      await dialog.getByLabel('Amount in GBP').fill(amount);
      await dialog.getByRole('button', { name: 'Add it' }).click();
    };
    await add('twelve');
    await dialog.getByText('Amount: write a number above zero such as 1250.50').waitFor();
    expect(await faultsOf(page, 'console-add-money')).toEqual([]);
    await add('12.50');
    await page.getByText('The money is on the TEST balance.').waitFor();
    await row(reference).getByText('+GBP 12.50').waitFor();
    await eventually(() => {
      const calls = auditOf(system, 'billing').filter(({ path }) => path === '/admin/balances/top-up');
      expect(calls).toContainEqual(
        expect.objectContaining({ actor: addressOf('Fay'), status: 200, reason: 'goodwill' }),
      );
    });
  });

  it.concurrent('staff review new and edited LIVE offers with the keyboard, and disable one', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, adminEmail } = await newOrganisation(system);
    await topUp(system, id, 'live');
    const { key } = await system.admin<{ key: string }>('key', 'create', `--org=${id}`, '--mode=live');
    const word = randomUUID().slice(0, 8);
    const create = async (title: string) => {
      const { body } = await advertiser(system, key).create(await offerForm({ title, environment: 'LIVE' }));
      return body.offer_id;
    };
    const fine = await create(`Fine ${word}`);
    const wrong = await create(`Wrong ${word}`);
    await openConsole(visitor, system, '/reviews');
    await leaveOthers(page, `Fine ${word}`);
    await page.getByText('Any two cocktails for the price of one.').waitFor();
    expect(await faultsOf(page, 'console-review')).toEqual([]);
    await page.keyboard.press('f');
    await page.getByText(`Offer ${fine} looks fine.`).waitFor();
    await leaveOthers(page, `Wrong ${word}`);
    await page.keyboard.press('d');
    await answer(page, 'Disable it', 'The link leads to another shop.');
    await page.getByText(`Offer ${wrong} is disabled.`).waitFor();
    await eventually(async () => {
      const subjects = (await mailsTo(system, adminEmail)).map(({ subject }) => subject);
      expect(subjects).toContainEqual(expect.stringContaining('Offer disabled'));
    });
    const offer = (number: number) => system.admin<Record<string, unknown>>('offer', 'show', String(number));
    expect(await offer(fine)).toMatchObject({ enabled: true, reviewWaitingSince: null });
    expect(await offer(wrong)).toMatchObject({ enabled: false, reviewWaitingSince: null });
  });

  it.concurrent('staff write terms with a preview, and see earlier versions and what changed', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    await openConsole(visitor, system, '/terms');
    const versions = page.getByRole('row');
    await versions.nth(1).waitFor();
    const latest = await versions.nth(1).getByRole('rowheader').innerText();
    await page.getByRole('button', { name: `Show version ${latest}` }).click();
    await page.getByRole('heading', { name: `Version ${latest}` }).waitFor();
    await page.getByText(/^Changes since version/).click();
    await page.locator('.diff ins').first().waitFor();
    const text = page.getByLabel('Text', { exact: true });
    const publish = page.getByRole('button', { name: 'Publish …' });
    expect(await publish.isDisabled()).toBe(true);
    await text.fill('# Money\n\nYou **pay** before it runs.\n\n- by card\n- from the balance');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Money' }).waitFor();
    await preview.locator('strong', { hasText: 'pay' }).waitFor();
    expect(await preview.getByRole('listitem').count()).toBe(2);
    // The other walks need the terms that are published. So this one asks for a name that exists, which the service refuses.
    await page.getByLabel('Name of the version').fill(latest);
    expect(await faultsOf(page, 'console-terms')).toEqual([]);
    // A draft outlives the page.
    await page.reload();
    await preview.getByRole('heading', { name: 'Money' }).waitFor();
    await publish.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/All must accept again: \d+ organisations with \d+ admins/).waitFor();
    await dialog.getByLabel('Reason').fill('a new law');
    await dialog.getByRole('button', { name: 'Publish it' }).click();
    await dialog.getByText('That version was published with another text').waitFor();
  });

  it.concurrent('staff add a category for one organisation, rename it and retire it', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, key } = await newOrganisation(system);
    const name = `Only ${randomUUID().slice(0, 8)}`;
    const names = async () =>
      JSON.stringify((await advertiser(system, key).request('GET', '/categories')).body);
    await openConsole(visitor, system, '/catalogue');
    await page.getByRole('button', { name: 'Add a category …' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Only for organisations (optional)').fill(String(id));
    expect(await faultsOf(page, 'console-category')).toEqual([]);
    await answer(page, 'Add it', 'they asked for it');
    await page.getByText('The category is added.').waitFor();
    await eventually(async () => expect(await names()).toContain(name));
    await page.getByRole('button', { name: `Change ${name} …` }).click();
    await page.getByLabel('Name', { exact: true }).fill(`${name} again`);
    await answer(page, 'Change it', 'misspelt');
    await page.getByText('The category is changed.').waitFor();
    await eventually(async () => expect(await names()).toContain(`${name} again`));
    expect(await faultsOf(page, 'console-catalogue')).toEqual([]);
    await decide(page, page.getByRole('button', { name: `Retire ${name} again …` }), 'Retire it');
    await page.getByText('The category is retired.').waitFor();
    await eventually(async () => expect(await names()).not.toContain(name));
  });

  it.concurrent('staff erase a person, who can sign in no longer and is named nowhere', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, adminEmail } = await newOrganisation(system);
    const email = `Ann-${randomUUID()}@advertiser.example`;
    await system.admin('person', 'invite', `--org=${id}`, `--email=${email}`);
    await eventually(async () => expect(await mailsTo(system, email)).toHaveLength(1));
    const places = () => placesWith(system.stores, email);
    await eventually(async () => expect(await places()).toContain('notifier contacts'));
    expect(await places()).toEqual(expect.arrayContaining(['gateway people', 'gateway sent_events']));
    await openConsole(visitor, system, `/organisations/${id}`);
    const row = page.getByRole('row').filter({ hasText: email });
    await row.getByRole('button', { name: /^Erase/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 mail of the last 180 days').waitFor();
    expect(await faultsOf(page, 'console-erase')).toEqual([]);
    await answer(page, 'Erase for ever', 'asked for it');
    await page.getByText('The person is erased.').waitFor();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: adminEmail }).waitFor();
    await eventually(async () => expect(await places()).toEqual([]));
    const { erasure } = await system.admin<{ erasure: { what: string; outcome: string }[] }>(
      'person',
      'erase',
      email,
    );
    const left = erasure.filter(({ outcome }) => outcome === 'would be erased');
    expect(left.map(({ what }) => what)).toEqual(['published events of the last 14 days, if any']);
  });
}

/** Leaves the offers of other walks for later. */
async function leaveOthers(page: Page, title: string): Promise<void> {
  const mine = page.getByRole('heading', { level: 2, name: title });
  await eventually(
    async () => {
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      if (await mine.isVisible()) return;
      await page.getByRole('button', { name: 'Leave for later' }).click({ timeout: 2_000 });
      throw new Error(`${title} is not the next one yet`);
    },
    { timeoutMs: 60_000 },
  );
  // The keys work from the moment at which it has the focus.
  await page.locator('h2:focus', { hasText: title }).waitFor();
}

async function answer(page: Page, submit: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: submit }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function decide(page: Page, button: ReturnType<Page['getByRole']>, submit: string): Promise<void> {
  await button.click();
  await answer(page, submit, 'for the test');
}
