/** A console with two people of the staff in front of a running system, whose clock can be moved: sessions then end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConsoleConfig } from '@offer-ads/admin/console/config';
import { startConsole } from '@offer-ads/admin/console/service';
import { freePorts } from '@offer-ads/backing/free-port';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { silentLogger } from '@offer-ads/testing/logger';
import type { TestSystem } from '../../harness/test-system.ts';
import type { Portal, Visitor } from './portal-under-test.ts';

const tokens = { ann: 'anns-access-token-that-only-tests-use', bo: 'bos-access-token-that-only-tests-use' };
export type Person = keyof typeof tokens;

export type StaffConsole = AsyncDisposable & {
  readonly url: string;
  /** Time passes for the console alone. */
  readonly later: (milliseconds: number) => void;
  /** In a browser of their own, at an address of the console. */
  readonly signIn: (person: Person, path: string) => Promise<Pick<Visitor, 'page' | 'complaints'>>;
};

export async function staffConsole(portal: Portal): Promise<StaffConsole> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = readConsoleConfig({
    ...portal.system.adminSettings(),
    ADMIN_TOKEN: portal.system.secrets().consoleToken,
    CONSOLE_STAFF: Object.entries(tokens)
      .map(([name, token]) => hashEntry(name, token, 'console'))
      .join(),
    PUBLIC_URL: url,
    HOST: '127.0.0.1',
    PORT: `${port}`,
  });
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const running = await startConsole(config, { clock, logger: silentLogger });
  return {
    url,
    later: (milliseconds) => {
      aheadMs += milliseconds;
    },
    signIn: async (person, path) => {
      const { page, complaints } = await portal.visitor();
      await page.goto(url + path);
      await signInHere({ page, person });
      return { page, complaints };
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

export async function signInHere({
  page,
  person,
}: Pick<Visitor, 'page'> & { person: Person }): Promise<void> {
  await page.getByLabel('Name').fill(person);
  await page.getByLabel('Access token').fill(tokens[person]);
  await page.getByRole('button', { name: 'Sign in' }).click();
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
