/** The guides under `/docs`: how they look, their search, their commands to copy, and reading without script. */
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { faultsOf, type Portal } from './portal-under-test.ts';

/** One page of each kind: the first, one with a drawing and tables, the longest, and a missing one. */
const examples = ['', '/offer-states', '/errors', '/nothing'];

export function walksOfGuides(portal: () => Portal): void {
  it.concurrent('the guides have no serious fault in light, in dark and on a phone', async () => {
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    for (const path of examples) {
      await go(`/docs${path}`);
      expect(await faultsOf(page, `docs${path.replaceAll('/', '-')}`)).toEqual([]);
    }
  });

  it.concurrent('the guides are searched by the words of an error, with the keyboard alone', async () => {
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    await go('/docs');
    await page.locator('[data-script=on]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('quota exceeded');
    await page.getByRole('link', { name: /POST \/offers 400 E4/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#post-offers-400-e4');
    await page.locator('[data-script=on]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing has these words');
    await page.getByText('Nothing found').waitFor();
    expect(await page.locator('#found li').count()).toBe(0);
  });

  it.concurrent('the guides name this service in commands, and keep the chosen theme', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    const { page, context, go } = visitor;
    const { origin } = new URL(system.state().gateway);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await go('/docs/quick-start');
    const command = page.locator('.command', { hasText: 'export BASE_URL' }).first();
    // "Copied" is shown for two seconds only, which a busy machine may miss.
    await eventually(async () => {
      await command.hover();
      await command.getByRole('button', { name: 'Copy' }).click();
      await command.getByRole('button', { name: 'Copied' }).waitFor({ timeout: 15_000 });
    });
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `export BASE_URL=${origin}\nexport API_KEY=pk_test_your_key\n`,
    );

    await page.getByLabel('Theme').selectOption('dark');
    await go('/docs/limits');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
  });

  it.concurrent('the guides do not move while their script is loaded', async () => {
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    await go('/docs/keys-and-modes');
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
              sum += (entry as PerformanceEntry & { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(sum), 500);
        }),
    );
    expect(shift).toBeLessThan(0.01);
  });

  it.concurrent('the guides can be read and their links followed without script', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    const browser = visitor.context.browser();
    await using context = await browser!.newContext({
      javaScriptEnabled: false,
      baseURL: system.state().gateway,
    });
    const page = await context.newPage();
    await page.goto('/docs');
    await page
      .getByRole('navigation', { name: 'Guides', exact: true })
      .getByRole('link', { name: 'Errors' })
      .click();
    await page.locator('a[href$="#post-offers-400-e4"]').first().click();
    await page.waitForURL('**/docs/errors#post-offers-400-e4');
    expect(await page.locator('#search').isVisible()).toBe(false);
  });

  it.concurrent('the guides lead to the reference, which loads nothing from other sites', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    const elsewhere: string[] = [];
    const { origin } = new URL(system.state().gateway);
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
        elsewhere.push(request.url());
    });
    await go('/docs');
    await page.getByRole('link', { name: 'Reference' }).first().click();
    await page.getByRole('link', { name: 'Create an offer' }).first().click();
    await page.getByRole('heading', { name: 'Create an offer' }).first().waitFor();
    await page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^Send/ }).first().click();
    // Without a key.
    await page.getByText('401 Unauthorized').first().waitFor();
    expect(elsewhere).toEqual([]);
  });
}
