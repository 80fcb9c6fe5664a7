/** Staff consoles for walks: the one of the system, and consoles with two emergency tokens and a clock of their own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConsoleConfig } from '@offer-ads/admin/console/config';
import { startConsole } from '@offer-ads/admin/console/service';
import { freePorts } from '@offer-ads/backing/free-port';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { TestSystem } from '../../harness/test-system.ts';
import type { Visitor } from './portal-under-test.ts';

const tokens = { ann: 'anns-access-token-that-only-tests-use', bo: 'bos-access-token-that-only-tests-use' };
export type Person = keyof typeof tokens;

export type StaffConsole = AsyncDisposable & {
  /** Moves the clock of this console alone. */
  readonly advance: (milliseconds: number) => void;
  /** Signs the visitor in and opens a page of the console. */
  readonly open: (visitor: Visitor, person: Person, path: string) => Promise<void>;
};

/** @param changes settings that differ from those of the system */
export async function staffConsole(
  system: TestSystem,
  changes: NodeJS.ProcessEnv = {},
): Promise<StaffConsole> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = readConsoleConfig({
    ...system.adminSettings(),
    ADMIN_TOKEN: system.secrets().consoleToken,
    CONSOLE_BREAK_GLASS: Object.entries(tokens)
      .map(([name, token]) => hashEntry(name, token, 'console'))
      .join(),
    PUBLIC_URL: url,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    ...changes,
  });
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const running = await startConsole(config, { clock, logger: silentLogger });
  return {
    advance: (milliseconds) => void (aheadMs += milliseconds),
    open: (visitor, person, path) => openAs(visitor, { name: person, token: tokens[person], url, path }),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** The people of the sign-in simulator. Audit logs name them by their addresses. */
export type Colleague = 'Ada' | 'Sam' | 'Fay' | 'Vera' | 'Nora';
export const addressOf = (colleague: Colleague): string => `${colleague.toLowerCase()}@platform.example`;

/** Signs the visitor in to the console of the system as a click in the sign-in simulator does it, and opens a page. Ada is administrator. */
export async function openConsole(
  { page }: Visitor,
  system: TestSystem,
  path = '/',
  colleague: Colleague = 'Ada',
): Promise<void> {
  await page.goto(system.state().console + path);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: colleague }).click();
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
}

/** Signs in with the call of the page. */
async function openAs(
  { context, page }: Visitor,
  o: { readonly name: string; readonly token: string; readonly url: string; readonly path: string },
): Promise<void> {
  const data = { name: o.name, token: o.token };
  await eventually(async () => {
    const reply = await context.request.post(`${o.url}/api/sign-in`, { data, headers: { origin: o.url } });
    if (!reply.ok()) throw new Error(`signing in was answered ${reply.status()}`);
  });
  await page.goto(o.url + o.path);
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
}

/** Fills in the form that the page shows. */
export async function signInHere({ page }: Visitor, person: Person): Promise<void> {
  await page.getByLabel('Name').fill(person);
  await page.getByLabel('Emergency token').fill(tokens[person]);
  await page.getByRole('button', { name: 'Sign in with the token' }).click();
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
}

/** A line of a service's audit log. */
type Line = { readonly audit?: boolean; readonly [field: string]: unknown };

export function auditOf(system: TestSystem, service: string): Line[] {
  return readFileSync(join(system.folder, 'logs', `${service}.log`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ audit }) => audit === true);
}
