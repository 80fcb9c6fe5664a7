/** Who may do what in the staff's console, and the audit log. */
import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { newOrganisation } from '../../harness/advertiser.ts';
import { addressOf, openConsole, staffConsole } from './console-staff.ts';
import { faultsOf, type Portal, reloadUntil } from './portal-under-test.ts';

export function walksOfAccess(portal: () => Portal): void {
  it.concurrent('a viewer reads, is told which role an action needs, and cannot go around it', async () => {
    await using visitor = await portal().visitor();
    const { system, page, context } = visitor;
    const { id } = await newOrganisation(system);
    await openConsole(visitor, system, `/organisations/${id}`, 'Vera');
    await page.getByText('(viewer)').waitFor();
    // It says that it is disabled, and a click explains why.
    await page.getByRole('button', { name: 'Disable …' }).click({ force: true });
    await page.getByText('This needs the role support. You have: viewer.').first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await faultsOf(page, 'console-viewer')).toEqual([]);

    const url = system.state().console;
    const session = await (await context.request.get(`${url}/api/session`)).json();
    const { csrfToken } = session as { csrfToken: string };
    const direct = await context.request.post(`${url}/api/gateway/organisations/${id}/disable`, {
      headers: { origin: url, 'x-csrf-token': csrfToken },
      data: { reason: 'around the page' },
    });
    expect(direct.status()).toBe(403);
  });

  it.concurrent('a person without a role is told so, and signs in as somebody else', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    await page.goto(`${system.state().console}/rates`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Nora' }).click();
    await page.getByText('you have no role in this console').waitFor();
    expect(await faultsOf(page, 'console-no-role')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in as somebody else' }).click();
    await page.getByRole('link', { name: 'Fay' }).click();
    await page.getByText('(finance)').waitFor();
    expect(new URL(page.url()).searchParams.has('problem')).toBe(false);
    await page.goto(`${system.state().console}/audit?actor=${addressOf('Nora')}`);
    const refusal = page.getByRole('row').filter({ hasText: 'result: no role' });
    await refusal.getByText('refused', { exact: true }).first().waitFor();
  });

  it.concurrent('what staff change is in the audit log, is found and exported, and the sign-out ends both sessions', async () => {
    await using visitor = await portal().visitor();
    const { system, page } = visitor;
    const { id } = await newOrganisation(system);
    await openConsole(visitor, system, `/organisations/${id}`, 'Sam');
    await page.getByRole('button', { name: 'Disable …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('=unpaid, since May');
    await dialog.getByRole('button', { name: 'Disable it' }).click();
    await page.getByText('is disabled.').waitFor();

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await page.getByLabel('Organisation', { exact: true }).fill(String(id));
    await page.getByRole('button', { name: 'Show' }).click();
    const row = page.getByRole('row').filter({ hasText: '=unpaid, since May' });
    await row.waitFor();
    for (const text of [addressOf('Sam'), 'Disable an organisation', `organisations/${id}`, 'done'])
      expect(await row.innerText()).toContain(text);
    expect(await faultsOf(page, 'console-audit')).toEqual([]);
    await row.getByRole('link', { name: addressOf('Sam') }).click();
    await page
      .getByLabel('Person')
      .and(page.locator(`[value="${addressOf('Sam')}"]`))
      .waitFor();

    await page.goBack();
    await row.waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.split('\r\n')[0]).toMatch(/^time,person,subject,roles/);
    expect(csv).toContain(`"'=unpaid, since May"`);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it.concurrent('a person with an emergency token sees it on every page, and the audit log marks them', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    await using staff = await staffConsole(system);
    const { page } = visitor;
    await staff.open(visitor, 'bo', '/audit?actor=bo');
    for (const section of ['Rates', 'Audit log']) {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByText('You are signed in with an emergency token.').waitFor();
    }
    await page.goto(new URL('/audit?actor=bo', page.url()).href);
    const row = page.getByRole('row').filter({ hasText: 'Sign in to the console' }).filter({ hasText: 'bo' });
    // The page says so when a service did not answer in time.
    await reloadUntil(page, row.getByText('emergency token'));
    expect(await faultsOf(page, 'console-emergency')).toEqual([]);
  });
}
