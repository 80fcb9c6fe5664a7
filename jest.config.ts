/**
 * Two projects. `unit` needs nothing but Node; `integration` gets the stores and the broker, started once for the
 * whole run (packages/testing). Jest 30 strips types itself, so sources run as they are.
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

const integrationTests = ['**/test/**/*.test.ts', '**/*.int.test.ts'];

const config: Config = {
  projects: [
    {
      ...everyProject,
      displayName: 'unit',
      testMatch: ['**/*.test.ts', ...integrationTests.map((pattern) => `!${pattern}`)],
    },
    {
      ...everyProject,
      displayName: 'integration',
      testMatch: integrationTests,
      globalSetup: '<rootDir>/packages/testing/src/global-setup.ts',
      globalTeardown: '<rootDir>/packages/testing/src/global-teardown.ts',
    },
  ],
  // One service under test already keeps Postgres, MongoDB and RabbitMQ busy; more workers than this only queue.
  maxWorkers: 2,
  // Modules of test files are never quite let go of: at three gigabytes the collector alone lets a service's two seconds pass.
  workerIdleMemoryLimit: '512MB',
  // Ends what hangs; what takes seconds here takes many where the machine has other work too.
  testTimeout: 120_000,
};

export default config;
