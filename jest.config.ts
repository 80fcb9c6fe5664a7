/**
 * Three projects. `unit` needs nothing but Node; `integration` and `system` get the stores and the broker, started once for
 * the whole run (packages/testing). `npm test` runs the first two; `system` holds the trials of the whole system and has a
 * command of its own, `npm run test:system`. Jest 30 strips types itself, so sources run as they are.
 */
import type { Config } from 'jest';

const everyProject = {
  testEnvironment: 'node',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/\\.dev/'],
  // A package of the same name is built there.
  modulePathIgnorePatterns: ['<rootDir>/\\.dev/', '<rootDir>/packages/sdk/dist/'],
};

const systemTests = ['**/trials/*/test/**/*.test.ts'];
const integrationTests = ['**/test/**/*.test.ts', '**/*.int.test.ts'];
const butNot = (patterns: readonly string[]) => patterns.map((pattern) => `!${pattern}`);

const withStores = {
  ...everyProject,
  globalSetup: '<rootDir>/packages/testing/src/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/global-teardown.ts',
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
  // One service under test already keeps Postgres, MongoDB and RabbitMQ busy; more workers than this only queue.
  maxWorkers: 2,
  // Modules of test files are never quite let go of: at three gigabytes the collector alone lets a service's two seconds pass.
  workerIdleMemoryLimit: '512MB',
  // Ends what hangs; what takes seconds here takes many where the machine has other work too.
  testTimeout: 120_000,
};

export default config;
