/** What the platform's staff do in their console, on the real services. */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { unsafeLookingPng } from '@offer-ads/testing/pictures/unsafe-picture';
import { sendUnreadable } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import type { Page } from 'playwright-core';
import { advertiser, newOrganisation, offerForm } from '../../harness/advertiser.ts';
import { mailsTo } from '../../harness/simulators.ts';
import { query } from '../../harness/sql.ts';
import type { TestSystem } from '../../harness/test-system.ts';
import { addressOf, auditOf, openConsole, staffConsole } from './console-staff.ts';
import { faultsOf, type Portal, reloadUntil } from './portal-under-test.ts';

export function walksOfStaff(portal: () => Portal): void {
  it.concurrent('staff disable and enable an organisation and change its quota', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, key } = await newOrganisation(system);
    await openConsole(visitor, system);
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    expect(await faultsOf(page, 'console-overview')).toEqual([]);

    await page.getByRole('link', { name: 'Organisations', exact: true }).click();
    await page.getByLabel('Name, address of a person, or id').fill(String(id));
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await faultsOf(page, 'console-organisations')).toEqual([]);
    await page.goto(`${system.state().console}/organisations/${id}`);
    await answer(page, 'Disable …', { reason: 'unpaid since May', submit: 'Disable it' });
    await page.getByText('is disabled.').waitFor();
    const categories = () => advertiser(system, key).request('GET', '/categories');
    expect((await categories()).status).toBe(401);
    expect(await faultsOf(page, 'console-organisation')).toEqual([]);
    await answer(page, 'Enable …', { reason: 'paid', submit: 'Enable it' });
    await page.getByText('is enabled.').waitFor();
    expect((await categories()).status).toBe(200);
    await eventually(() =>
      expect(auditOf(system, 'gateway')).toContainEqual(
        expect.objectContaining({
          actor: addressOf('Ada'),
          path: `/admin/organisations/${id}/disable`,
          reason: 'unpaid since May',
        }),
      ),
    );

    await page.getByRole('button', { name: 'Add a note …' }).click();
    await page.getByLabel('Note', { exact: true }).fill('Pays late.\nAsk its owner first.');
    expect(await faultsOf(page, 'console-note')).toEqual([]);
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByText('The note is added.').waitFor();
    const row = page.getByRole('region', { name: 'Notes of staff' }).getByRole('row').last();
    expect(await row.textContent()).toContain(addressOf('Ada'));
    await row.getByRole('button').click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('No notes yet').waitFor();

    await page.getByRole('button', { name: 'Change TEST quota …' }).click();
    await page.getByLabel('Offers of the organisation').fill('0');
    expect(await faultsOf(page, 'console-quota')).toEqual([]);
    await page.getByLabel('Reason').fill('as agreed');
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText('The TEST quota is changed.').waitFor();
    const created = await advertiser(system, key).create(await offerForm());
    expect(created.body.return_code).toMatch(/^E/);
  });

  it.concurrent('staff disable an offer, and its advertiser reads why in a mail and in the portal', async () => {
    const { system } = portal();
    const reason = 'The link leads to another shop.';
    const { key, adminEmail } = await newOrganisation(system);
    const { body } = await advertiser(system, key).create(await offerForm());
    await using staff = await portal().visitor();
    const { page } = staff;
    await openConsole(staff, system);
    await page.goto(`${system.state().console}/offers/${body.offer_id}`);
    await answer(page, 'Disable …', { reason, submit: 'Disable it' });
    await page.getByText(`Offer ${body.offer_id} is disabled.`).waitFor();
    expect(await faultsOf(page, 'console-offer-disabled')).toEqual([]);

    await eventually(async () => {
      const mails = await mailsTo(system, adminEmail);
      expect(mails).toContainEqual(
        expect.objectContaining({
          subject: expect.stringContaining('Offer disabled'),
          text: expect.stringContaining(reason.slice(0, -1)),
        }),
      );
    });
    await using visitor = await portal().visitor();
    await visitor.signIn(adminEmail);
    await visitor.go(`/portal/test/offers/${body.offer_id}`);
    await visitor.page.getByText(reason).waitFor();
    await visitor.page.getByText('Disabled by the platform').waitFor();
    expect(await visitor.page.getByRole('button', { name: /^(Pause|Resume) / }).count()).toBe(0);
    expect(await faultsOf(visitor.page, 'offer-disabled')).toEqual([]);

    await visitor.go('/portal/test');
    await visitor.page.getByRole('link', { name: '0 Active' }).waitFor();
    await visitor.page.getByText('The platform team has disabled an offer').waitFor();
    expect(await faultsOf(visitor.page, 'home-disabled')).toEqual([]);
    await visitor.page.getByRole('link', { name: 'See why' }).click();
    await visitor.page.getByRole('link', { name: 'Two for one' }).click();
    await visitor.page.getByRole('link', { name: 'Edit', exact: true }).click();
    await visitor.page.getByLabel('Description').fill('Our own shop.');
    await visitor.page.getByRole('button', { name: 'Save the changes' }).click();
    await visitor.page
      .getByText('It stays disabled until the platform team has looked at the change')
      .waitFor();
    await page.reload();
    await page.getByText('Its advertiser waits for a look').waitFor();
    await answer(page, 'Enable …', { reason: 'it is mended', submit: 'Enable it' });
    await visitor.page.getByRole('link', { name: 'Go to the offer' }).click();
    await visitor.page.getByText('It runs until').waitFor();
  });

  it.concurrent('staff approve an organisation, which has no LIVE mode until then', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    const { id, key, adminEmail } = await newOrganisation(system);
    await advertiser(system, key).create(await offerForm());
    await system.admin('org', 'withdraw-approval', `--org=${id}`, '--reason=It is in no register.');
    await visitor.signIn(adminEmail);
    await visitor.go('/portal/live');
    await visitor.page.getByText('It is in no register.').waitFor();
    await visitor.page.getByRole('heading', { name: 'The Crown' }).waitFor();
    expect(await faultsOf(visitor.page, 'approval-withdrawn')).toEqual([]);
    // As one that has never been approved.
    await query(
      system.stores.databases.gateway,
      'UPDATE organisations SET withdrawn_at = NULL, withdrawn_because = NULL WHERE id = $1',
      [id],
    );
    await visitor.go('/portal/test');
    const banner = visitor.page.getByText('Your organisation is waiting for approval.');
    await banner.waitFor();
    expect(await faultsOf(visitor.page, 'waiting-home')).toEqual([]);
    await visitor.page.getByRole('link', { name: 'LIVE', exact: true }).click();
    await visitor.page.getByRole('heading', { name: 'Your organisation has no LIVE mode yet' }).waitFor();
    expect(await faultsOf(visitor.page, 'waiting-live')).toEqual([]);
    await visitor.go('/portal/test/settings');
    await visitor.page.getByLabel('Address', { exact: true }).fill('1 Tea Street');
    await visitor.page.getByRole('button', { name: 'Save the billing details' }).click();
    await visitor.page.getByText('Saved. Invoices show them from now on').waitFor();
    await visitor.go('/portal/live');

    await using staff = await portal().visitor();
    const { page } = staff;
    await openConsole(staff, system);
    await page.getByRole('link', { name: 'Those that wait for approval' }).click();
    await page.getByLabel('Name, address of a person, or id').fill(String(id));
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(`**/organisations?search=${id}&which=waiting`);
    await page.getByText('waits for approval').waitFor();
    expect(await page.getByLabel('Which').inputValue()).toBe('waiting');
    // The rows of the search before are shown until those of this one have come.
    await eventually(async () => expect(await page.getByRole('row').count()).toBe(2));
    expect(await faultsOf(page, 'console-waiting')).toEqual([]);
    await page.getByRole('row').filter({ hasText: adminEmail }).getByRole('link').click();
    await page.getByRole('button', { name: 'Approve …' }).click();
    const identity = page.getByRole('dialog').locator('.facts');
    for (const fact of ['Crown Taverns Ltd', adminEmail, '1 Tea Street', 'VAT number', 'crown.example'])
      await identity.getByText(fact).waitFor();
    expect(await faultsOf(page, 'console-approve')).toEqual([]);
    await page.getByLabel('Reason').fill('called them');
    await page.getByRole('button', { name: 'Approve it' }).click();
    await page.getByText('is approved.').waitFor();
    await page.getByText(`by ${addressOf('Ada')}`).waitFor();
    expect(await faultsOf(page, 'console-approved')).toEqual([]);

    await visitor.page.reload();
    await visitor.page.getByRole('heading', { name: 'The Crown' }).waitFor();
    expect(await banner.count()).toBe(0);
    expect(new URL(visitor.page.url()).pathname).toBe('/portal/live');
    await eventually(async () => {
      const subjects = (await mailsTo(system, adminEmail)).map(({ subject }) => subject);
      expect(subjects).toContain('Your organisation is approved');
    });
  });

  it.concurrent('staff look at a refused picture and allow it, which changes the next upload', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id, key } = await newOrganisation(system);
    const image = new Blob([new Uint8Array(await unsafeLookingPng())], { type: 'image/png' });
    const upload = async () => advertiser(system, key).create(await offerForm({ image }));
    expect((await upload()).body.return_code).toBe('E2');
    await openConsole(visitor, system, '/pictures');
    const card = page.getByRole('listitem').filter({ hasText: `Organisation ${id},` });
    // In TEST mode members see no picture, so this one waits for nobody.
    await page.locator('.pictures').waitFor({ state: 'attached' });
    expect(await card.count()).toBe(0);
    const views = page.getByRole('navigation', { name: 'Kinds of pictures' });
    await views.getByRole('link', { name: 'Refused' }).click();
    await card.getByRole('button', { name: 'Show the picture' }).click();
    await picturesShown(page);
    expect(await faultsOf(page, 'console-pictures')).toEqual([]);
    await card.getByRole('link', { name: /^Review/ }).click();
    await page.getByRole('heading', { name: 'What the model says' }).waitFor();
    expect(await faultsOf(page, 'console-picture')).toEqual([]);
    await answer(page, 'Allow …', { reason: 'a painting', submit: 'Allow it' });
    await page.getByText(`by decision of ${addressOf('Ada')}`).waitFor();
    await eventually(async () => expect((await upload()).body.return_code).toBe('S1'));
    const offerOfIt = page.getByRole('link', { name: /Two for one/ }).first();
    await reloadUntil(page, offerOfIt);
    await page.getByRole('heading', { name: 'Offers that show it' }).waitFor();
    await offerOfIt.click();
    await page.getByRole('heading', { name: 'Times and money' }).waitFor();
    await picturesShown(page);
    expect(await faultsOf(page, 'console-offer')).toEqual([]);
    await page.goBack();
    await answer(page, 'Take back …', { reason: 'for the next test', submit: 'Take it back' });
    await page.getByText('The decision is taken back.').waitFor();
  });

  it.concurrent('staff see a parked event without personal data, replay it and drop it', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const subject = `offer/${randomUUID()}`;
    const data = { offerId: 7, email: 'ann@tea.example' };
    await sendUnreadable(system.state().rabbitmq, { service: 'notifier', subject, data });
    await openConsole(visitor, system, '/parked?service=notifier');
    const event = page.getByRole('article').filter({ hasText: subject });
    await reloadUntil(page, event);
    await event.getByText('Payload').click();
    await event.getByText('"offerId": 7').waitFor();
    expect(await event.getByText('ann@tea.example').count()).toBe(0);
    await event.getByRole('button', { name: 'Show personal data too' }).click();
    await event.getByText('ann@tea.example').waitFor();
    expect(await faultsOf(page, 'console-parked')).toEqual([]);
    await answer(event, 'Replay …', { reason: 'once more', submit: 'Replay' }, page);
    await page.getByText('1 event was replayed.').waitFor();
    // It is still unreadable, so it is parked again.
    await reloadUntil(page, event);
    await answer(event, 'Drop …', { reason: 'nobody can read it', submit: 'Drop for ever' }, page);
    await page.getByText('1 event was dropped.').waitFor();
    await event.waitFor({ state: 'detached' });
  });

  it.concurrent('staff make a placement key, roll it with an overlap, limit it, see its calls and disable it', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const name = `Site ${randomUUID().slice(0, 8)}`;
    const row = () => page.getByRole('row').filter({ hasText: name });
    await openConsole(visitor, system, '/placements');
    await page.getByRole('heading', { name: 'Shown too seldom' }).waitFor();
    await page.getByRole('button', { name: 'Create a key …' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Reason').fill('a new site');
    expect(await faultsOf(page, 'console-placement-key')).toEqual([]);
    await page.getByRole('button', { name: 'Create the key' }).click();
    const first = await storedKey(page);
    expect(first).toMatch(/^pk_place_test_/);
    expect(await page.content()).not.toContain(first);
    const ask = async (key: string) => (await placementsWith(system, key)).status;
    expect(await ask(first)).toBe(200);

    await row().getByRole('button', { name: /^Roll/ }).click();
    await page.getByLabel('Reason').fill('each year');
    await page.getByRole('button', { name: 'Roll the key' }).click();
    const second = await storedKey(page);
    expect([await ask(first), await ask(second)]).toEqual([200, 200]);
    await row().getByText('Rolled, still works').waitFor();
    const current = row().filter({ hasText: 'Active' });
    await current.getByRole('button', { name: /^Limit/ }).click();
    await page.getByLabel('Requests a minute').fill('2000');
    await page.getByLabel('Reason').fill('a small site');
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText(`The limit of ${name} is changed.`).waitFor();
    await current.getByText('2,000').waitFor();
    expect(await faultsOf(page, 'console-placements')).toEqual([]);

    await current.getByRole('button', { name: /^Disable/ }).click();
    await page.getByLabel('Reason').fill('the site is closed');
    await page.getByRole('button', { name: 'Disable the key' }).click();
    await page.getByText('has stopped working.').waitFor();
    expect([await ask(first), await ask(second)]).toEqual([200, 401]);
    await eventually(() =>
      expect(auditOf(system, 'gateway')).toContainEqual(
        expect.objectContaining({
          actor: addressOf('Ada'),
          path: expect.stringMatching(/^\/admin\/placement-keys\/\d+\/disable$/),
          reason: 'the site is closed',
        }),
      ),
    );
    await page.getByLabel(/^Also disabled and expired ones/).check();
    await row()
      .filter({ hasText: 'Disabled' })
      .getByRole('link', { name: /^Calls of/ })
      .click();
    await page.getByRole('heading', { name: 'Calls with placement keys' }).waitFor();
    await reloadUntil(page, page.getByRole('row').filter({ hasText: '401' }));
    // A busy machine may have answered 503 first.
    const refused = page.getByText('503', { exact: true });
    const answered = page.getByRole('row').filter({ hasText: 'POST /placements', hasNot: refused });
    expect(await answered.count()).toBe(2);
    expect(await faultsOf(page, 'console-placement-calls')).toEqual([]);
  });

  it.concurrent('the console shows rates and card problems, and nothing after a sign-out', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    await using staff = await staffConsole(system);
    const { page } = visitor;
    await staff.open(visitor, 'bo', '/');
    for (const section of ['Rates', 'Card problems'] as const) {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect(await faultsOf(page, `console-${section}`)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Emergency token').waitFor();
    expect(await faultsOf(page, 'console-sign-in')).toEqual([]);
    await page.reload();
    await page.getByLabel('Emergency token').waitFor();
  });
}

/** Reads a new key from the dialog that shows it once, and closes the dialog. */
async function storedKey(page: Page): Promise<string> {
  const key = await page.getByRole('dialog').locator('code').first().innerText();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return key;
}

function placementsWith(system: TestSystem, key: string): Promise<Response> {
  return patiently(() =>
    fetch(`${system.state().gateway}/placements`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ latitude: 51.5, longitude: -0.13, gender: 'Female' }),
    }),
  );
}

/** Opens the dialog of a button, fills in a reason and sends it. */
async function answer(
  within: Pick<Page, 'getByRole'>,
  button: string,
  o: { readonly reason: string; readonly submit: string },
  page: Pick<Page, 'getByRole'> = within,
): Promise<void> {
  await within.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(o.reason);
  await dialog.getByRole('button', { name: o.submit }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Waits until every picture in view is loaded. */
async function picturesShown(page: Page): Promise<void> {
  await eventually(async () => {
    const missing = await page.evaluate(
      () => [...document.images].filter((image) => !image.complete || image.naturalWidth === 0).length,
    );
    expect(missing).toBe(0);
  });
}
