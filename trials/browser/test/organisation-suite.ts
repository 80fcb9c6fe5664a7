/** From nothing to a key that works, without asking anybody; then what an organisation does with people, keys and its log. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { advertiser, newOrganisation, offerForm } from '../../harness/advertiser.ts';
import { mailsTo } from '../../harness/simulators.ts';
import type { TestSystem } from '../../harness/test-system.ts';
import { pay } from './offer-form.ts';
import { faultsOf, linkMailedTo, type Portal, reloadUntil, type Visitor } from './portal-under-test.ts';

const earlierVersion = '2026-11a';
const version = '2026-12';
const words = '# What you agree to\n\n1. You **pay** what an offer costs.\n2. <b>Markup</b> stays text.\n';

export function walksOfOrganisations(portal: () => Portal): void {
  it.concurrent('the portal opens although page and script come from two releases', async () => {
    await using visitor = await portal().visitor();
    const { context, go } = visitor;
    for (const script of ['early', 'main']) {
      let refusals = 2;
      const address = `**/portal/assets/${script}-*.js`;
      await context.route(address, (route) => {
        refusals -= 1;
        return refusals < 0 ? route.continue() : route.fulfill({ status: 404 });
      });
      await go('/portal/sign-up');
      expect([script, refusals]).toEqual([script, -1]);
      await context.unroute(address);
    }
  });

  it.concurrent('a page whose script never comes says so, and can be loaded again', async () => {
    await using visitor = await portal().visitor();
    const { context, page } = visitor;
    const address = '**/portal/assets/sign-in-*.js';
    await context.route(address, () => {});
    await page.clock.install();
    await page.goto('/portal/sign-in', { waitUntil: 'commit' });
    await eventually(async () => {
      await page.clock.fastForward(30_000);
      await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor({ timeout: 1_000 });
    });
    await context.unroute(address);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0);
  });

  it.concurrent('an organisation registers, accepts the terms, and uses its key with curl', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const email = `founder-${randomUUID()}@advertiser.example`;

    await visitor.go('/portal/sign-up');
    await page.getByLabel('Legal name').fill('Crown Taverns Ltd');
    await page.getByLabel('Trading name').fill('The Crown');
    await page.getByLabel('Country').selectOption({ label: 'United Kingdom' });
    expect(await page.getByLabel('Billing currency').inputValue()).toBe('GBP');
    await page.getByLabel('Your email address').fill(email);
    expect(await faultsOf(page, 'sign-up')).toEqual([]);
    await page.getByRole('button', { name: 'Send me the link' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();

    await page.goto(await linkMailedTo(system, email));
    await page.getByRole('button', { name: 'Register and sign in' }).waitFor();
    // The token is neither in the address bar nor in the history.
    expect(new URL(page.url()).hash).toBe('');
    expect(await faultsOf(page, 'sign-up-complete')).toEqual([]);
    await page.getByRole('button', { name: 'Register and sign in' }).click();
    await page.getByRole('heading', { name: 'The Crown' }).waitFor();
    await page.getByText('0 of 5 done').waitFor();
    expect(await faultsOf(page, 'home')).toEqual([]);

    await page.getByRole('link', { name: 'Read and accept' }).click();
    await page.getByRole('heading', { name: 'What you agree to' }).waitFor();
    await page.getByText('<b>Markup</b> stays text.').waitFor();
    expect(await faultsOf(page, 'terms')).toEqual([]);
    await page.getByLabel('I have read the terms').check();
    await page.getByRole('button', { name: `Accept version ${version}` }).click();
    await page.getByText('The terms are accepted.').waitFor();
    await page.getByText(`Accepted by ${email}`).waitFor();
    await page.getByRole('button', { name: `Read version ${earlierVersion}` }).click();
    await page.getByRole('dialog').getByText('What you agreed to before').waitFor();
    expect(await faultsOf(page, 'terms-earlier')).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();

    await toSection(page, 'API keys');
    await page.getByText('No active TEST key').waitFor();
    expect(await faultsOf(page, 'keys-empty')).toEqual([]);
    const { key, command } = await createKey(page, 'Web shop');
    expect(key).toMatch(/^pk_test_/);
    expect(command).toContain(key);
    await eventually(async () =>
      expect(JSON.parse(await inShell(command))).toMatchObject({ categories: expect.any(Array) }),
    );
  });

  it.concurrent('a key is shown once, closes only on purpose, and leaves nothing behind', async () => {
    await using visitor = await portal().admin();
    const { page } = visitor;
    await toSection(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    expect(await faultsOf(page, 'keys-create')).toEqual([]);
    await page.getByLabel('Name').fill('Till');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByRole('dialog', { name: 'The key Till' });
    const key = await shown.locator('code').first().innerText();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    // Chromium lets a page hold Back only while somebody has just used it, and Escape used that up.
    await shown.getByText('This is the only time').click();
    await page.evaluate(() => history.back());
    expect(await faultsOf(page, 'keys-issued')).toEqual([]);
    expect(await shown.locator('code').first().innerText()).toBe(key);

    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: /^Roll Till/ }).waitFor();
    const left = await page.evaluate(() =>
      JSON.stringify([
        document.documentElement.outerHTML,
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        history.state,
      ]),
    );
    expect(left).not.toContain(key);
    expect(left).toContain(key.slice(-4));
  });

  it.concurrent('a key with limits spends no more, until an admin changes them', async () => {
    await using visitor = await portal().admin();
    const { system, page } = visitor;
    await toSection(page, 'API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Assistant');
    await page.getByText('Limits, for example for an assistant').click();
    await page.getByLabel('Spending limit for a day').fill('0.01');
    await page.getByLabel('Only from these IP addresses').fill('cafe');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Line 1 must be an IP address such as 192.0.2.7').waitFor();
    await page.getByLabel('Only from these IP addresses').fill('10.0.0.0/8, 192.0.2.7');
    expect(await faultsOf(page, 'keys-limits')).toEqual([]);
    await page.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByRole('dialog', { name: 'The key Assistant' });
    const { create, request } = advertiser(system, await shown.locator('code').first().innerText());
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('at most GBP 0.01 a day · from 10.0.0.0/8, 192.0.2.7').waitFor();
    const refused = await create(await offerForm());
    expect(refused.status).toBe(403);
    expect(refused.body.message).toMatch(
      /^The cost is \d+\.\d\d GBP, and of the spending limit of 0\.01 GBP a day \(UTC\) of this API key 0\.01 GBP is left$/,
    );

    await page.getByRole('button', { name: /^Limits of Assistant/ }).click();
    await page.getByLabel('Spending limit for a day').fill('');
    await page.getByLabel('Only reading').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('only reading · from 10.0.0.0/8').waitFor();
    expect((await create(await offerForm())).body.message).toMatch(/only reads/);
    expect((await request('GET', '/key')).body).toMatchObject({ access: 'read-only' });
  });

  it.concurrent('a rolled or disabled key stops working at once, and the call log shows it', async () => {
    await using visitor = await portal().admin();
    const { system, page } = visitor;
    const statusOf = async (key: string) =>
      (await advertiser(system, key).request('GET', '/categories')).status;
    await toSection(page, 'API keys');
    await page.getByRole('button', { name: /^Roll / }).click();
    expect(await faultsOf(page, 'keys-roll')).toEqual([]);
    await page.getByRole('button', { name: 'Roll the key' }).click();
    const rolled = await page
      .getByRole('dialog', { name: /^The key / })
      .locator('code')
      .first()
      .innerText();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await statusOf(visitor.key)).toBe(401);
    expect(await statusOf(rolled)).toBe(200);

    await page.getByRole('button', { name: new RegExp(`^Disable .*${rolled.slice(-4)}$`) }).click();
    await page.getByRole('button', { name: 'Disable the key' }).click();
    await page.getByText('is disabled and has stopped working').waitFor();
    expect(await statusOf(rolled)).toBe(401);
    await page.getByLabel('Also disabled and expired ones (2)').check();
    expect(await faultsOf(page, 'keys')).toEqual([]);

    await toSection(page, 'Call log');
    await page.getByLabel('Status').selectOption('401');
    await page.waitForURL(/status=401$/);
    // Calls are logged a moment after their answers. The address holds the filter, so a reload keeps it.
    const meaning = page.getByRole('link', { name: '401: what it means' }).first();
    await reloadUntil(page, meaning);
    expect(new URL(page.url()).search).toBe('?status=401');
    expect(await page.getByLabel('Status').inputValue()).toBe('401');
    expect(await faultsOf(page, 'calls')).toEqual([]);

    await page.getByRole('link', { name: 'GET /categories' }).first().click();
    await page.getByText('Check that x-api-key has the whole key.').waitFor();
    await page.getByRole('link', { name: 'This error in the guide' }).waitFor();
    expect(await faultsOf(page, 'call')).toEqual([]);
    await page.goBack();
    await meaning.click();
    await page.waitForURL(/\/docs\/errors#any-endpoint-401$/);
  });

  it.concurrent('a colleague is invited, sees what their role allows, and is disabled', async () => {
    await using visitor = await portal().admin();
    const { system, page } = visitor;
    const email = `colleague-${randomUUID()}@advertiser.example`;
    await toSection(page, 'People');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    expect(await faultsOf(page, 'people-invite')).toEqual([]);
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Developer').check();
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByText(`An invitation is on its way to ${email}.`).waitFor();
    expect(await faultsOf(page, 'people')).toEqual([]);

    await using colleague = await portal().visitor();
    await colleague.page.goto(await linkMailedTo(system, email));
    await colleague.page.getByRole('button', { name: /^Sign in to / }).click();
    const sections = colleague.page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'API keys' }).waitFor();
    expect(await sections.getByRole('link', { name: 'People' }).count()).toBe(0);
    await colleague.go('/portal/test/people');
    await colleague.page.getByText('Your role, developer, does not show you this.').waitFor();
    expect(await faultsOf(colleague.page, 'not-for-the-role')).toEqual([]);

    await page.getByRole('button', { name: `Disable ${email}` }).click();
    await page.getByRole('button', { name: 'Disable the person' }).click();
    await page.getByText(`${email} is disabled.`).waitFor();
    await colleague.page.reload();
    await colleague.page.getByLabel('Email address').waitFor();
    expect(await faultsOf(colleague.page, 'sign-in')).toEqual([]);

    await page.getByText('The only admin: first make another person an admin.').waitFor();
    expect(await page.getByRole('button', { name: `Disable ${visitor.adminEmail}` }).count()).toBe(0);
  });

  it.concurrent('a viewer reads offers and meets nothing that changes them; finance sees money and no offer', async () => {
    const { system } = portal();
    const { id, key } = await newOrganisation(system);
    const { body } = await advertiser(system, key).create(await offerForm({ title: 'Salsa for two' }));
    const join = async (visitor: Visitor, role: string) => {
      const email = `${role}-${randomUUID()}@advertiser.example`;
      await system.admin('person', 'invite', `--org=${id}`, `--email=${email}`, `--role=${role}`);
      await visitor.signIn(email);
    };
    await using viewer = await portal().visitor();
    await join(viewer, 'viewer');
    const { page, go } = viewer;
    await page.getByRole('link', { name: '1 Active' }).waitFor();
    expect(await page.getByText('What to do next').count()).toBe(0);
    await go('/portal/test/offers');
    await page.getByRole('link', { name: 'Salsa for two' }).waitFor();
    const main = page.getByRole('main');
    expect(await main.getByRole('checkbox').count()).toBe(0);
    expect(await main.getByText(/^(New offer|Test clock)$/).count()).toBe(0);
    expect(await main.getByRole('button').allInnerTexts()).toEqual(['Download CSV']);
    expect(await faultsOf(page, 'offers-for-a-viewer')).toEqual([]);
    await page.getByRole('link', { name: 'Salsa for two' }).click();
    await page.getByRole('heading', { name: 'What members see' }).waitFor();
    expect(await main.getByText(/^(Pause|Delete|Extend|Edit|Duplicate|Simulate.*)$/).count()).toBe(0);
    for (const changing of ['offers/new', `offers/${body.offer_id}/edit`]) {
      await go(`/portal/test/${changing}`);
      await page.getByText('Your role, viewer, does not show you this.').waitFor();
    }

    await using finance = await portal().visitor();
    await join(finance, 'finance');
    await toSection(finance.page, 'Balance');
    const entry = finance.page.getByRole('rowheader', { name: 'Offer bought: Salsa for two' });
    await entry.waitFor();
    expect(await entry.getByRole('link').count()).toBe(0);
    await finance.page.getByRole('button', { name: 'Continue to payment' }).waitFor();
    expect(await faultsOf(finance.page, 'balance-for-finance')).toEqual([]);
    await finance.go('/portal/test/offers');
    await finance.page.getByText('Your role, finance, does not show you this.').waitFor();
  });

  it.concurrent('settings keep name and mails, and end all sessions; a link opens a new one', async () => {
    await using visitor = await portal().admin();
    const { system, page, adminEmail } = visitor;
    await toSection(page, 'Settings');
    await page.getByRole('textbox', { name: 'Trading name' }).fill('http://crown.example');
    await page.getByRole('button', { name: 'Save the trading name' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Trading name' }).fill('The Golden Crown');
    await page.getByRole('button', { name: 'Save the trading name' }).click();
    await page.getByText('Saved. New offers have it at once.').waitFor();
    await page.getByLabel('An offer has ended').uncheck();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('banner').getByText('The Golden Crown').waitFor();
    expect(await page.getByLabel('An offer has ended').isChecked()).toBe(false);
    await page.getByLabel('Add UTM tags').check();
    await page.getByLabel('Source').fill('dating app');
    await page.getByText('letters, digits and . _ ~ - alone are possible').waitFor();
    await page.getByLabel('Source').fill('dating');
    await page.getByText('utm_source=dating&utm_medium=display&utm_campaign=4711-two-for-one').waitFor();
    await page.getByRole('button', { name: 'Save the tags' }).click();
    await page.getByText('Saved. It holds for all offers at once.').waitFor();
    expect(await faultsOf(page, 'settings')).toEqual([]);
    // As a begun offer is.
    await page.evaluate(() => sessionStorage.setItem('offer-draft 1 TEST', '{}'));
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByLabel('Email address').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('offer-draft 1 TEST'))).toBeNull();

    const mailsBefore = (await mailsTo(system, adminEmail)).length;
    await page.getByLabel('Email address').fill(adminEmail);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('a sign-in link is on its way').waitFor();
    await page.goto(await linkMailedTo(system, adminEmail, { after: mailsBefore }));
    await page.getByRole('button', { name: /^Sign in to / }).click();
    await page.getByRole('navigation', { name: 'Sections' }).waitFor();
  });

  it.concurrent('invoices show the billing details that an admin has entered; earlier ones stay as they are', async () => {
    await using visitor = await portal().admin();
    const { system, page, id } = visitor;
    await toSection(page, 'Balance');
    await topUp(page, '10');
    const withoutAddress = await newestInvoice(page);
    expect(await faultsOf(page, 'balance-without-address')).toEqual([]);

    await page.getByRole('link', { name: 'add it in Settings' }).click();
    await page.getByText('Your invoices show no address.').waitFor();
    await page.getByLabel('Address', { exact: true }).fill('The Old Mill\n\n2 Mill Lane \nLeeds\nLS1 4AP\n');
    await page.getByLabel('VAT number').fill('gb 980 7806 85');
    await page.getByLabel('Purchase order').fill('PO 4711/b');
    const save = page.getByRole('button', { name: 'Save the billing details' });
    await save.click();
    await page.getByText('Must be as on the VAT certificate').waitFor();
    await page.getByLabel('VAT number').fill('980 7806 84');
    await save.click();
    await page.getByText('Saved. Invoices show them from now on').waitFor();
    expect(await page.getByLabel('VAT number').inputValue()).toBe('GB980780684');
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe(
      'The Old Mill\n2 Mill Lane\nLeeds\nLS1 4AP',
    );
    expect(await faultsOf(page, 'settings-billing-details')).toEqual([]);

    await toSection(page, 'Balance');
    // Billing hears of the change by an event.
    const sees = async () => {
      await topUp(page, '20');
      return newestInvoice(page);
    };
    await eventually(async () => expect((await sees()).text).toContain('LS1 4AP'), { timeoutMs: 120_000 });
    const { number, text } = await newestInvoice(page, 'invoice-with-address');
    for (const part of ['The Old Mill', '2 Mill Lane', 'VAT number GB980780684', 'PO 4711/b'])
      expect(text).toContain(part);
    expect(await page.getByText('Invoices show no address').count()).toBe(0);
    expect(withoutAddress.number).not.toBe(number);
    expect(await invoiceText(page, withoutAddress.number)).toBe(withoutAddress.text);
    expect(withoutAddress.text).not.toContain('LS1 4AP');

    const shown = await system.admin('org', 'show', `--org=${id}`);
    expect(JSON.stringify(shown)).toContain('2 Mill Lane');
  });
}

/** Before the walks: every organisation must accept a new version. */
export async function publishTerms(system: TestSystem): Promise<void> {
  const file = join(system.folder, 'terms.md');
  for (const [each, text] of [
    [earlierVersion, 'What you agreed to before.'],
    [version, words],
  ] as const) {
    await writeFile(file, text);
    await system.admin('terms', 'publish', `--version=${each}`, `--file=${file}`);
  }
}

/** Home has links with nearly the same names, so this clicks in the navigation. */
async function toSection(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }).click();
}

async function topUp(page: Page, amount: string): Promise<void> {
  const section = page.getByRole('region', { name: 'Top up by card' });
  await section.getByLabel('Amount in GBP').fill(amount);
  await section.getByRole('button', { name: 'Continue to payment' }).click();
  await pay(page);
  await page.getByText('arrived on the balance.').waitFor();
}

/** Of the list of invoices, which has the latest first. */
async function newestInvoice(page: Page, picture?: string): Promise<{ number: string; text: string }> {
  await page.reload();
  const link = page.getByRole('link', { name: /^Read TEST-/ }).first();
  const number = ((await link.getAttribute('aria-label')) ?? '').replace('Read ', '');
  return { number, text: await invoiceText(page, number, picture) };
}

async function invoiceText(page: Page, number: string, picture?: string): Promise<string> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: `Read ${number}` }).click();
  const tab = await opened;
  const text = await tab.locator('main').innerText();
  if (picture !== undefined) expect(await faultsOf(tab, picture)).toEqual([]);
  await tab.close();
  return text;
}

async function createKey(
  page: Page,
  name: string,
): Promise<{ readonly key: string; readonly command: string }> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Create the key' }).click();
  const texts = page.getByRole('dialog', { name: `The key ${name}` }).locator('code');
  const key = await texts.first().innerText();
  const command = await texts.last().innerText();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return { key, command };
}

/** Runs the command as a person who pastes it. */
async function inShell(command: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', `${command} --silent --show-error --max-time 30`])).stdout;
}
