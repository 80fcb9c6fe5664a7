/** Lint rules and the boundaries of the house (house-style: "Boundaries"); a violation fails `npm run check`. */
import { defineConfig, type OxlintOverride } from 'oxlint';

type Rules = NonNullable<OxlintOverride['rules']>;

const services = ['gateway', 'offers', 'billing', 'pricing', 'moderation', 'notifier'];

/** What runs the system for people and tests, and never in production. */
const tooling = [
  'packages/{backing,sdk-python,simulators}/**',
  'dev/**',
  'deploy/**',
  'k8s/**',
  'trials/**',
  'bench/**',
];

/** Libraries that only one kind of place may touch. */
const confined = {
  pg: 'Only stores speak SQL: put the query into a *-store.ts.',
  mongoose: 'Only stores speak to MongoDB: put the query into a *-store.ts.',
  express: 'Only http/ knows express.',
  stripe: "Only billing's stripe module speaks to the card provider.",
  amqplib: "Only the platform's broker modules speak AMQP.",
  nodemailer: 'Only notifier sends mail.',
  '@aws-sdk/client-s3': 'Only the bucket of pictures speaks S3, and it is loaded only where there is one.',
  ioredis: "Only the gateway's shared counts speak to Valkey.",
};
type Confined = keyof typeof confined;

const noOtherService = {
  regex: `^(@offer-ads/(${services.join('|')})(/|$)|(\\.\\./)+services/)`,
  message: 'A service imports no other service: events, HTTP and packages/* connect them.',
};

/** The import rule for files that may use the libraries named and no other confined one. */
function imports(...allowed: Confined[]): Rules {
  const paths = Object.entries(confined)
    .filter(([name]) => !allowed.includes(name as Confined))
    .map(([name, message]) => ({ name, message }));
  return { 'no-restricted-imports': ['error', { paths, patterns: [noOtherService] }] };
}

/** The rules for a pure module; `outside` matches relative imports that leave domain/. */
function pure(outside: string): Rules {
  const message = 'domain/ is pure: it imports only domain/ and @offer-ads/contracts.';
  const foreign = ['^[a-z][^:]*$', '^node:[^z]', '^@[^o]', '^@offer-ads/[^c]', outside];
  // A checksum is a pure function.
  const checksum = { regex: '^node:z', allowImportNames: ['crc32'], message };
  return {
    'no-restricted-imports': [
      'error',
      { patterns: [checksum, ...foreign.map((regex) => ({ regex, message }))] },
    ],
    'no-restricted-properties': [
      'error',
      { object: 'Date', property: 'now', message: 'domain/ takes `now` as an argument.' },
      { object: 'Math', property: 'random', message: 'domain/ takes chance as an argument.' },
    ],
  };
}

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise', 'jest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['**/generated/**', '.dev/**'],
  rules: {
    ...imports(),
    'node/no-process-env': 'error',
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'no-console': 'error',
    eqeqeq: 'error',
    // Loops that wait for each step are what outboxes, migrations and ordered work are made of.
    'no-await-in-loop': 'off',
    // Small local closures read better beside their one use.
    'unicorn/consistent-function-scoping': 'off',
    // Names such as `error`, `offer` and `mode` mean the same thing at every depth.
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    // Express 5 hands a rejected promise to the error middleware by itself.
    'oxc/no-async-endpoint-handlers': 'off',
    // The compiler knows which functions must return; an early bare `return` in a middleware is no fault.
    'typescript/consistent-return': 'off',
    'consistent-return': 'off',
    // Narrowing after a check that the compiler cannot follow is what `as` is for; `any` stays forbidden.
    'typescript/no-unsafe-type-assertion': 'off',
    // CommonJS packages such as pg are imported by their default.
    'import/no-named-as-default-member': 'off',
    'import/no-unassigned-import': 'off',
    'jest/expect-expect': [
      'error',
      { assertFunctionNames: ['expect', 'expect*', 'fc.assert', 'fc.property'] },
    ],
    // A helper that asserts more when it is told more.
    'jest/no-conditional-expect': 'off',
    // Worker threads have no origins.
    'unicorn/require-post-message-target-origin': 'off',
  },
  overrides: [
    { files: ['services/*/src/**/*-store.ts'], rules: imports('pg', 'mongoose') },
    {
      files: ['services/*/src/http/**', 'packages/admin/src/console/http/**'],
      rules: imports('express'),
    },
    {
      files: ['services/billing/src/stripe/*.ts'],
      rules: imports('stripe'),
    },
    {
      files: ['services/notifier/src/smtp/*.ts'],
      rules: imports('nodemailer'),
    },
    { files: ['services/offers/src/images/bucket.ts'], rules: imports('@aws-sdk/client-s3') },
    { files: ['services/gateway/src/public-api/request-limiter.ts'], rules: imports('ioredis') },
    { files: ['packages/platform/src/**'], rules: imports('pg', 'mongoose', 'express') },
    { files: ['packages/platform/src/messaging/broker/*.ts'], rules: imports('amqplib') },
    { files: ['services/*/src/domain/*.ts'], rules: pure('^\\.\\./') },
    { files: ['services/*/src/domain/*/*.ts'], rules: pure('^\\.\\./\\.\\./') },
    {
      files: ['**/config.ts', 'packages/platform/src/telemetry/telemetry.ts', 'web/vite.config.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: ['**/*.test.ts', '**/test/**', 'packages/testing/**', ...tooling],
      rules: {
        'no-restricted-imports': ['error', { patterns: [noOtherService] }],
        'no-restricted-properties': 'off',
        'node/no-process-env': 'off',
        'typescript/no-non-null-assertion': 'off',
        'typescript/unbound-method': 'off',
      },
    },
    {
      files: [...tooling, 'packages/testing/**', 'packages/admin/**'],
      rules: { 'no-console': 'off' },
    },
    {
      files: ['*.config.ts', '**/global-setup.ts', '**/global-teardown.ts', '**/longest-first.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
    { files: tooling, rules: { 'no-restricted-imports': 'off' } },
  ],
});
