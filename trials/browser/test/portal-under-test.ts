/**
 * The portal as people meet it: in Chromium, in front of the whole system. Where there is no Chromium, `describeInBrowser` skips, and the
 * run says so.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from '@jest/globals';
import { findProgram } from '@offer-ads/backing/programs';
import { testProfile } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import axeCore from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { unusedAddress } from '../../harness/advertiser.ts';
import { mailsTo } from '../../harness/simulators.ts';
import { startTestSystem, type TestSystem } from '../../harness/test-system.ts';

const executable = await findProgram({
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  packageName: 'chromium',
  report: (line) => process.stderr.write(`${line}\n`),
});

export const describeInBrowser: (name: string, suite: () => void) => void =
  executable === undefined ? describe.skip : describe;

/** For people to look at, after the run. */
const pictures = fileURLToPath(new URL('../../../.dev/pages', import.meta.url));

export type Portal = AsyncDisposable & {
  readonly system: TestSystem;
  /** A browser of its own as far as cookies, storage and the address that it comes from go. */
  readonly visitor: () => Promise<Visitor>;
};

export type Visitor = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Opens an address of the portal: `go('/portal/test/keys')`. */
  readonly go: (path: string) => Promise<void>;
  /** As the person does it: by the link in the newest mail to the address. */
  readonly signIn: (email: string) => Promise<void>;
  /** What the browser complained of so far: scripts that failed, and what the content security policy refused. */
  readonly complaints: readonly string[];
};

/** A machine that runs other tests too may stand still for seconds; what never comes ends with the test. */
const patienceMs = 60_000;

export async function startPortal(): Promise<Portal> {
  return portalOf(await startTestSystem({ withConsole: true }));
}

/** In front of a system that runs, which ends with it. */
export async function portalOf(system: TestSystem): Promise<Portal> {
  await using started = new AsyncDisposableStack();
  started.use(system);
  const browser = await chromium.launch({
    executablePath: executable ?? '',
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-dev-shm-usage'],
  });
  started.defer(() => browser.close());
  mkdirSync(pictures, { recursive: true });
  const all = started.move();
  return {
    system,
    visitor: async () => {
      const context = await browser.newContext({
        baseURL: system.state().gateway,
        viewport: looks.light,
        // Limits of a network never touch another visitor's.
        extraHTTPHeaders: { 'x-forwarded-for': unusedAddress() },
      });
      context.setDefaultTimeout(patienceMs);
      const page = await context.newPage();
      await tryAgainWhereAsked(page);
      return visitorOf({ system, context, page });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** As a person does whom the page asks to: a machine that runs other tests too makes services too slow for a moment. */
async function tryAgainWhereAsked(page: Page): Promise<void> {
  const words = page.getByText('This is not available at the moment. Please try again').first();
  const ofList = page
    .locator('.notice, .estimate')
    .filter({ has: words })
    .getByRole('button', { name: 'Try again' });
  const ofForm = page
    .locator('form > .notice', { has: words })
    .locator('xpath=following-sibling::div[1]/button[1]');
  const again = async () => {
    const button = ofList.or(ofForm).first();
    // What has been answered after all needs no second click.
    await button.click({ timeout: 15_000 }).catch(() => {});
  };
  await page.addLocatorHandler(words, again, { noWaitAfter: true });
}

function visitorOf(o: { system: TestSystem; context: BrowserContext; page: Page }): Visitor {
  const { system, context, page } = o;
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // What a reply's status says is no fault of the page: asking who is signed in is answered by 401.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  const go = async (path: string) => {
    await page.goto(path);
    await page.locator('h1').waitFor();
  };
  return {
    context,
    page,
    go,
    complaints,
    signIn: async (email) => {
      const mailsBefore = (await mailsTo(system, email)).length;
      await go('/portal');
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Send me a link' }).click();
      await page.getByText('a sign-in link is on its way').waitFor();
      await page.goto(await linkMailedTo(system, email, { after: mailsBefore }));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Sections' }).waitFor();
    },
  };
}

/** The link into the portal that the newest mail to the address has, when there are more mails than `after`. */
export async function linkMailedTo(
  system: TestSystem,
  email: string,
  { after = 0 }: { after?: number } = {},
): Promise<string> {
  return eventually(
    async () => {
      const mails = await mailsTo(system, email);
      // Another mail may have come after it.
      const links = mails
        .slice(after)
        .map(({ text }) => /https?:\S+\/portal\/sign-(in|up)#\S+/.exec(text)?.[0]);
      const link = links.findLast((each) => each !== undefined);
      if (link === undefined) throw new Error(`no mail with a link came to ${email}`);
      return link;
    },
    { timeoutMs: patienceMs },
  );
}

const looks = {
  light: { colorScheme: 'light', width: 1200, height: 900 },
  dark: { colorScheme: 'dark', width: 1200, height: 900 },
  phone: { colorScheme: 'light', width: 360, height: 740 },
} as const;

/**
 * Looks at the page as it stands in light, in dark and on a phone. The answer is what axe calls serious or worse, and whatever makes
 * a phone scroll sideways. With TEST_PROFILE=long pictures of all pages go to `.dev/pages`; they are left out of the short run,
 * because they take half a minute of it.
 */
export async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [look, { colorScheme, width, height }] of Object.entries(looks)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await standsStill(page);
    if (testProfile === 'long')
      await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: true });
    faults.push(...(await seriousFaults(page)).map((fault) => `${name}, ${look}: ${fault}`));
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overhang > 0) faults.push(`${name}, ${look}: wider than the window by ${overhang} pixels`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(looks.light);
  return faults;
}

/** Nothing is pale because what replaces it is on its way, and no colour is between two others. */
async function standsStill(page: Page): Promise<void> {
  await eventually(async () => {
    const moving = await page.evaluate(() => [
      ...[...document.querySelectorAll('[data-waiting="true"]')].map(({ className }) => className),
      ...document
        .getAnimations()
        .filter((animation) => animation instanceof CSSTransition)
        .map(({ transitionProperty }) => transitionProperty),
    ]);
    if (moving.length > 0) throw new Error(`the page still changes: ${moving.join(', ')}`);
  });
}

async function seriousFaults(page: Page): Promise<string[]> {
  // Evaluated as a debugger does it: the page's policy stays in force.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}
