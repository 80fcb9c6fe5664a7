/** The guides under `/docs` as their readers meet them: to look at, to search, to copy from, and without script. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { faultsOf, type Portal, type Visitor } from './portal-under-test.ts';

/** One of each kind: the first, a drawing with tables, the longest, and none. The others are made of the same parts. */
const looked = ['', '/offer-states', '/errors', '/nothing'];

export function describeDocs(portal: () => Portal): void {
  describe('the guides', () => {
    let reader: Visitor;
    beforeAll(async () => {
      reader = await portal().visitor();
    });

    it.each(looked)(
      '/docs%s has no serious fault in light, in dark and on a phone',
      async (path) => {
        await reader.go(`/docs${path}`);
        expect(await faultsOf(reader.page, `docs${path.replaceAll('/', '-')}`)).toEqual([]);
      },
      300_000,
    );

    it('are searched by what an error says, with the keyboard alone', async () => {
      const { page } = reader;
      await reader.go('/docs');
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

    it('give commands that name this very service', async () => {
      const { page, context } = reader;
      const { origin } = new URL(portal().system.state().gateway);
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      await reader.go('/docs/quick-start');
      const command = page.locator('.command', { hasText: 'export BASE_URL' }).first();
      // It says so for two seconds, which may be over before a busy machine looks.
      await eventually(async () => {
        await command.hover();
        await command.getByRole('button', { name: 'Copy' }).click();
        await command.getByRole('button', { name: 'Copied' }).waitFor({ timeout: 15_000 });
      });
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        `export BASE_URL=${origin}\nexport API_KEY=pk_test_your_key\n`,
      );
    }, 300_000);

    it('keep the theme that was chosen, as the portal does', async () => {
      const { page } = reader;
      await reader.go('/docs');
      await page.getByLabel('Theme').selectOption('dark');
      await reader.go('/docs/limits');
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
      expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
      await page.getByLabel('Theme').selectOption('system');
    });

    it('do not move while script comes', async () => {
      const { page } = reader;
      await reader.go('/docs/keys-and-modes');
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

    it('can be read and walked through without script', async () => {
      const browser = reader.context.browser();
      const context = await browser!.newContext({
        javaScriptEnabled: false,
        baseURL: portal().system.state().gateway,
      });
      const page = await context.newPage();
      await page.goto('/docs');
      await page
        .getByRole('navigation', { name: 'Guides', exact: true })
        .getByRole('link', { name: 'Errors' })
        .click();
      await page.getByRole('link', { name: '400 E4' }).first().click();
      await page.waitForURL('**/docs/errors#post-offers-400-e4');
      expect(await page.locator('#search').isVisible()).toBe(false);
      await context.close();
    });

    it('lead to the reference of every endpoint, which is drawn here and asks nobody else', async () => {
      const { page } = reader;
      const elsewhere: string[] = [];
      const { origin } = new URL(portal().system.state().gateway);
      page.on('request', (request) => {
        if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
          elsewhere.push(request.url());
      });
      await reader.go('/docs');
      await page.getByRole('link', { name: 'Reference' }).first().click();
      await page.getByRole('link', { name: 'Create an offer' }).first().click();
      await page.getByRole('heading', { name: 'Create an offer' }).first().waitFor();
      await page
        .getByRole('button', { name: /^Test Request/ })
        .first()
        .click();
      await page.getByRole('button', { name: /^Send/ }).first().click();
      // Nobody has given a key.
      await page.getByText('401 Unauthorized').first().waitFor();
      expect(elsewhere).toEqual([]);
    }, 300_000);

    it('gave the browser nothing to complain of', () => {
      expect(reader.complaints).toEqual([]);
    });
  });
}
