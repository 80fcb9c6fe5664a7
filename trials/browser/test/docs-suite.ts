/** The guides and the reference under `/docs`: how they look, their search, their commands to copy, and reading without script. */
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { newOrganisation } from '../../harness/advertiser.ts';
import { openConsole } from './console-staff.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

/** One page of each kind: the first, one with a drawing and tables, the longest, one of the reference, and a missing one. */
const examples = ['', '/offer-states', '/errors', '/reference/analytics', '/nothing'];

export function walksOfGuides(portal: () => Portal): void {
  it.concurrent('the guides have no serious fault in light, in dark and on a phone', async () => {
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    for (const path of examples) {
      await go(`/docs${path}`);
      expect(await faultsOf(page, `docs${path.replaceAll('/', '-')}`)).toEqual([]);
    }
  });

  it.concurrent('pages that no other walk visits have no serious fault', async () => {
    await using visitor = await portal().visitor();
    const { system, page, go, signIn } = visitor;
    const look = async (paths: readonly string[]) => {
      for (const path of paths) {
        await go(path);
        expect(await faultsOf(page, `page${path.replaceAll(/\W+/g, '-')}`)).toEqual([]);
      }
    };
    await look(['/status', '/contact', '/downloads/', '/portal/docs', '/portal/sign-in', '/portal/test']);
    await look(['/portal/unsubscribe/unknown', `${system.state().billing}/pay/unknown`]);
    await signIn((await newOrganisation(system)).adminEmail);
    await look([
      '/portal/live',
      '/portal/test/nothing',
      '/portal/test/offers/999999999',
      '/portal/test/keys',
    ]);
    await openConsole(visitor, system);
    await look(['/pictures/decisions', '/nothing'].map((path) => system.state().console + path));
  });

  it.concurrent('the front page has no serious fault, and a price to try', async () => {
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    await go('/');
    expect(await faultsOf(page, 'site')).toEqual([]);
    await page.getByRole('slider', { name: 'Shown for' }).press('Home');
    await page.getByText('GBP 84.43').waitFor();
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
    await using visitor = await portal().visitor();
    const { system, page, context, go } = visitor;
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

  it.concurrent('a language is chosen once, for all samples of all pages, with the keyboard', async () => {
    await using visitor = await portal().visitor();
    const { page, go } = visitor;
    await go('/docs');
    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.getByRole('link', { name: 'Create an offer', exact: true }).click();
    const [curl, python] = [
      page.getByText('-F "title=Two for one"'),
      page.getByText(/^from datetime[^]*ads.offers.create/),
    ];
    await curl.waitFor();
    expect(await python.isVisible()).toBe(false);
    await page.locator('[data-script=on]').waitFor();
    const choice = page.getByRole('group', { name: 'Language of all samples' }).nth(2);
    await choice.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await python.first().waitFor();
    expect(await curl.isVisible()).toBe(false);
    await go('/docs/quick-start');
    await page.getByText('ads = OfferAds(').waitFor();
    expect(await page.getByRole('radio', { name: 'Python' }).first().isChecked()).toBe(true);
    expect(await page.getByText('curl -sS "$BASE_URL/categories"').isVisible()).toBe(false);
  });

  it.concurrent('a signed-in person creates a TEST key for the samples of a tab; a LIVE key is refused', async () => {
    const { system } = portal();
    const { adminEmail } = await newOrganisation(system);
    await using visitor = await portal().visitor();
    const { page, go, signIn, openTab } = visitor;
    await go('/docs/quick-start');
    await page.locator('[data-script=on]').waitFor();
    await page.getByRole('button', { name: 'Use a TEST key of mine' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'Sign in to create one' }).waitFor();
    await dialog.getByLabel('TEST key').fill('pk_live_somethingSecret');
    await dialog.getByRole('button', { name: 'Use it' }).click();
    await dialog.getByText('That is a LIVE key').waitFor();

    await signIn(adminEmail);
    await go('/docs/quick-start');
    await page.locator('[data-script=on]').waitFor();
    await page.getByRole('button', { name: 'Use a TEST key of mine' }).first().click();
    await dialog.getByRole('button', { name: /^Create a TEST key of / }).click();
    await page
      .getByRole('button', { name: /^TEST key …/ })
      .first()
      .waitFor();
    const command = await page.locator('.command', { hasText: 'export API_KEY' }).first().innerText();
    const key = /API_KEY=(pk_test_\S+)/.exec(command)?.[1] ?? '';
    const reply = await fetch(`${system.state().gateway}/categories`, { headers: { 'x-api-key': key } });
    expect(reply.status).toBe(200);
    const other = await openTab(`${system.state().gateway}/docs/quick-start`);
    await other.locator('[data-script=on]').waitFor();
    expect(await other.getByText(key).count()).toBe(0);
  });

  it.concurrent('without script the reference shows its samples in every language', async () => {
    const { system } = portal();
    await using visitor = await portal().visitor();
    await using context = await visitor.context.browser()!.newContext({
      javaScriptEnabled: false,
      baseURL: system.state().gateway,
    });
    const page = await context.newPage();
    await page.goto('/docs/reference/offers#createOffer');
    for (const sample of ['-F "title=Two for one"', 'ads.offers.create({', 'ads.offers.create(\n'])
      expect(await page.locator('.sample', { hasText: sample }).first().isVisible()).toBe(true);
    expect(await page.getByRole('radio').count()).toBe(0);
  });
}
