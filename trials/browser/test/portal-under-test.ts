/**
 * The portal in Chromium, in front of the whole system. Where there is no Chromium, the tests are skipped, and the run says so.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@offer-ads/backing/programs';
import { testProfile } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import axeCore from 'axe-core';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { newOrganisation, type Organisation, unusedAddress } from '../../harness/advertiser.ts';
import { mailsTo } from '../../harness/simulators.ts';
import { startTestSystem, type TestSystem } from '../../harness/test-system.ts';

const executable = await findProgram({
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  packageName: 'chromium',
  report: (line) => process.stderr.write(`${line}\n`),
});

/** Undefined where there is no Chromium. */
export const browserProgram: string | undefined = executable;

/** For people to look at, after the run. */
const pictures = fileURLToPath(new URL('../../../.dev/pages', import.meta.url));

export type Portal = AsyncDisposable & {
  readonly system: TestSystem;
  /** Has cookies, storage and a client IP of its own. */
  readonly visitor: () => Promise<Visitor>;
  /** A visitor who is signed in as the admin of a new organisation. */
  readonly admin: (o?: Parameters<typeof newOrganisation>[1]) => Promise<Visitor & Organisation>;
};

/** Its end closes its pages, and throws if the browser has complained: of scripts that failed, or by the content security policy. */
export type Visitor = AsyncDisposable & {
  readonly system: TestSystem;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Opens an address of the portal: `go('/portal/test/keys')`. */
  readonly go: (path: string) => Promise<void>;
  /** Signs in with the calls of the page, by the link of a mail, and opens the portal. */
  readonly signIn: (email: string) => Promise<void>;
  /** Any address, in another tab. */
  readonly openTab: (url: string) => Promise<Page>;
};

/** A busy machine may stand still for seconds. */
const browserTimeoutMs = 60_000;

export async function startPortal(): Promise<Portal> {
  await using started = new AsyncDisposableStack();
  const system = started.use(await startTestSystem({ withConsole: true, withCommunity: true }));
  const browser = await chromium.launch({
    executablePath: executable ?? '',
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-dev-shm-usage'],
  });
  started.defer(() => browser.close());
  mkdirSync(pictures, { recursive: true });
  const all = started.move();
  const visitor = async () => {
    const context = await browser.newContext({
      baseURL: system.state().gateway,
      viewport: sizes.desktop,
      // As people's browsers say it: clicks of a browser without a window do not count.
      userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
      // Rate limits count each visitor apart.
      extraHTTPHeaders: { 'x-forwarded-for': unusedAddress() },
    });
    context.setDefaultTimeout(browserTimeoutMs);
    const page = await context.newPage();
    await tryAgainWhereAsked(page);
    return visitorOf({ system, context, page });
  };
  return {
    system,
    visitor,
    admin: async (o) => {
      const organisation = await newOrganisation(system, o);
      const signedIn = await visitor();
      await signedIn.signIn(organisation.adminEmail);
      return { ...signedIn, ...organisation };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Clicks "Try again" where the page asks for it: on a busy machine a service may be too slow for a moment. */
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
    // The answer may have come meanwhile, without a click. A real one would take the focus from a field whose list then closes.
    await button.dispatchEvent('click', undefined, { timeout: 15_000 }).catch(() => {});
  };
  await page.addLocatorHandler(words, again, { noWaitAfter: true });
}

function visitorOf(o: { system: TestSystem; context: BrowserContext; page: Page }): Visitor {
  const { system, context, page } = o;
  const complaints: string[] = [];
  const heedComplaints = (page: Page) => {
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // The status of a reply is no fault of the page: the question who is signed in is answered by 401.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text());
    });
  };
  heedComplaints(page);
  const go = async (path: string) => {
    await page.goto(path);
    await page.locator('h1').waitFor();
  };
  return {
    system,
    context,
    page,
    go,
    signIn: async (email) => {
      const { gateway } = system.state();
      const post = (path: string, data: object) =>
        eventually(async () => {
          const url = `${gateway}/portal/api${path}`;
          const reply = await context.request.post(url, { data, headers: { origin: gateway } });
          if (!reply.ok()) throw new Error(`${path} answered ${reply.status()}`);
        });
      const before = (await mailsTo(system, email)).length;
      await post('/sign-in', { email });
      const link = await linkMailedTo(system, email, { after: before });
      await post('/sign-in/complete', { token: new URL(link).hash.slice(1) });
      await page.goto('/portal/test');
      await page.getByRole('navigation', { name: 'Sections' }).waitFor();
    },
    openTab: async (url) => {
      const tab = await context.newPage();
      heedComplaints(tab);
      await tab.goto(url);
      return tab;
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join('; ')}`);
    },
  };
}

/** The link into the portal in the newest mail to the address. The first `after` mails do not count. */
export async function linkMailedTo(
  system: TestSystem,
  email: string,
  { after = 0 }: { after?: number } = {},
): Promise<string> {
  return eventually(
    async () => {
      const mails = await mailsTo(system, email);
      // A mail without a link may be newer.
      const links = mails
        .slice(after)
        .map(({ text }) => /https?:\S+\/portal\/sign-(in|up)#\S+/.exec(text)?.[0]);
      const link = links.findLast((each) => each !== undefined);
      if (link === undefined) throw new Error(`no mail with a link came to ${email}`);
      return link;
    },
    { timeoutMs: browserTimeoutMs },
  );
}

/** Loads the page anew until an element is there: many pages ask for their data only once. */
export async function reloadUntil(page: Page, element: Locator): Promise<void> {
  let timeout = 500;
  await eventually(
    async () => {
      // A busy machine gets more time at each try.
      timeout = Math.min(2 * timeout, 15_000);
      await page.reload();
      await element.first().waitFor({ timeout });
    },
    { timeoutMs: 120_000 },
  );
}

const sizes = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 360, height: 740 },
} as const;

type Look = { readonly size: keyof typeof sizes; readonly colorScheme: 'light' | 'dark' };

/** The short run leaves out two of the six, whose width and theme other looks have. */
const looks: readonly Look[] = [
  { size: 'desktop', colorScheme: 'light' },
  { size: 'desktop', colorScheme: 'dark' },
  { size: 'tablet', colorScheme: 'dark' },
  { size: 'phone', colorScheme: 'light' },
  ...(testProfile === 'long'
    ? ([
        { size: 'tablet', colorScheme: 'light' },
        { size: 'phone', colorScheme: 'dark' },
      ] as const)
    : []),
];

/**
 * Checks the page on a desktop, a tablet and a phone, in light and in dark. Returns faults that axe calls serious or critical, and where
 * the page would scroll sideways. With TEST_PROFILE=long pictures of all pages go to `.dev/pages`; the short run has no time for them.
 */
export async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const look of looks) {
    const { size, colorScheme } = look;
    const shown = `${name}-${size}-${colorScheme}`;
    await showAs(page, look);
    await standsStill(page);
    if (testProfile === 'long')
      await page.screenshot({ path: join(pictures, `${shown}.png`), fullPage: true });
    // What the short run sees on a tablet was checked on the desktop: in the same colours, but with more room.
    if (size !== 'tablet' || testProfile === 'long')
      faults.push(...(await seriousFaults(page, look)).map((fault) => `${shown}: ${fault}`));
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (overhang > 0) faults.push(`${shown}: wider than the window by ${overhang} pixels`);
  }
  await showAs(page, { size: 'desktop', colorScheme: 'light' });
  return faults;
}

async function showAs(page: Page, { size, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(sizes[size]);
}

/** Waits until charts and maps have the window's width, nothing is pale because it is about to be replaced, and no colour is changing. */
async function standsStill(page: Page): Promise<void> {
  // They learn of a new width in the frame after it.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
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

/** In dark only colours differ from light, so only the rules about colours are checked again. */
const rulesOfDark = ['color-contrast', 'link-in-text-block'];

async function seriousFaults(page: Page, { colorScheme }: Look): Promise<string[]> {
  // Evaluated as a debugger does it: the page's policy stays in force.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source);
  return page.evaluate(
    async (rules) => {
      const { axe } = globalThis as unknown as { axe: typeof axeCore };
      const { violations } = await axe.run(document, {
        resultTypes: ['violations'],
        // Only experimental rules and the moderate rule about videos need it.
        preload: false,
        ...(rules === undefined
          ? // The slowest rule, and only moderate.
            { rules: { region: { enabled: false } } }
          : { runOnly: { type: 'rule', values: rules } }),
      });
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
    },
    colorScheme === 'dark' ? rulesOfDark : undefined,
  );
}
