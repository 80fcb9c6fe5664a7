/** Replaces `@jest/globals` in test files: always the functions of the test file that runs. */
import { ModernFakeTimers } from '@jest/fake-timers';
import type * as jestGlobals from '@jest/globals';

export type JestGlobals = Pick<
  typeof jestGlobals,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'it' | 'test'
>;

export let { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = {} as JestGlobals;

export function setGlobals(current: JestGlobals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = current);
}

type FakeTimerOptions = ConstructorParameters<typeof ModernFakeTimers>[0];

/** Only the fake timers of the `jest` object. */
export const jest = new ModernFakeTimers({
  config: { fakeTimers: {} } as FakeTimerOptions['config'],
  global: globalThis,
});
