/**
 * Three projects. `unit` needs nothing but Node; `integration` and `system` get the stores and the broker, started once for
 * the whole run (packages/testing). `npm test` runs the first two; `system` holds the trials of the whole system and of the
 * embedded stores, and has a command of its own, `npm run test:system`. Node's own loader runs tests and sources as they are,
 * once per worker (packages/testing/src/jest/native-runtime.ts).
 */
import type { Config } from 'jest';

const everyProject = {
  testEnvironment: '<rootDir>/packages/testing/src/jest/native-environment.ts',
  runtime: '<rootDir>/packages/testing/src/jest/native-runtime.ts',
  transform: {},
  testPathIgnorePatterns: ['/node_modules/', '/\\.dev/'],
  // A package of the same name is built there.
  modulePathIgnorePatterns: ['<rootDir>/\\.dev/', '<rootDir>/packages/sdk/dist/'],
};

const systemTests = [
  '**/trials/{system,browser,restore}/test/**/*.test.ts',
  // Measurements, each once with `--quick`.
  '**/bench/test/*.test.ts',
  // Starts stores of its own, twice.
  '**/packages/backing/test/*.test.ts',
  // Builds images where Docker is.
  '**/deploy/images/test/*.test.ts',
];
const integrationTests = ['**/test/**/*.test.ts', '**/*.int.test.ts'];
const butNot = (patterns: readonly string[]) => patterns.map((pattern) => `!${pattern}`);

const withStores = {
  ...everyProject,
  globalSetup: '<rootDir>/packages/testing/src/jest/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/jest/global-teardown.ts',
};

const config: Config = {
  projects: [
    {
      ...everyProject,
      displayName: 'unit',
      testMatch: ['**/*.test.ts', ...butNot(integrationTests)],
    },
    { ...withStores, displayName: 'integration', testMatch: [...integrationTests, ...butNot(systemTests)] },
    { ...withStores, displayName: 'system', testMatch: systemTests },
  ],
  // One more than there are cores on a small machine, because many tests wait for a deadline to pass.
  maxWorkers: 3,
  // Of the tests that a file runs at once: walks in a browser, which mostly wait.
  maxConcurrency: 3,
  // Loaded test files stay in memory: a worker that has grown beyond this starts anew.
  workerIdleMemoryLimit: '512MB',
  // Ends what hangs; what takes seconds here takes many where the machine has other work too.
  testTimeout: 120_000,
};

export default config;
