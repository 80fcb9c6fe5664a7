import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { configProblems } from '../../test/config-problems.ts';
import {
  httpSettings,
  httpUrl,
  mongoUrl,
  postgresUrl,
  readConfig,
  secret,
  telemetryEndpoint,
} from './config.ts';

const schema = z.object({
  ...httpSettings,
  STORE_URL: postgresUrl,
  PEER_URL: httpUrl,
  SIGNING_SECRET: secret,
});
const good = {
  STORE_URL: 'postgres://user@host:5432/store',
  PEER_URL: 'http://peer:8080/',
  SIGNING_SECRET: 'x'.repeat(32),
};

const problemsOf = (env: NodeJS.ProcessEnv) => configProblems(schema, env);

describe('readConfig', () => {
  it('reads the given values and adds the defaults', () => {
    expect(readConfig(schema, { ...good, UNRELATED: 'ignored' })).toEqual({
      HOST: '127.0.0.1',
      PORT: 8080,
      LOG_LEVEL: 'info',
      ...good,
      PEER_URL: 'http://peer:8080',
    });
  });

  it('reports all problems at once, each with its variable and its fix', () => {
    const problems = problemsOf({ PORT: '70000', LOG_LEVEL: 'loud', STORE_URL: '', PEER_URL: 'ftp://peer' });
    expect(problems).toEqual([
      'PORT: must be a port number from 0 (any free port) to 65535',
      'LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent',
      'STORE_URL is missing: must be an address such as postgres://user@host:5432/database',
      'PEER_URL: must be an address such as https://host:8080',
      expect.stringMatching(/^SIGNING_SECRET is missing: must be a random text of at least 32 characters/),
    ]);
  });

  it('never prints a value, because values may be secrets', () => {
    const names = ['PORT', 'LOG_LEVEL', 'STORE_URL', 'PEER_URL', 'SIGNING_SECRET'];
    const env = Object.fromEntries(names.map((name) => [name, 'my-value']));
    expect(problemsOf(env)).toHaveLength(5);
    expect(problemsOf(env).join()).not.toContain('my-value');
  });

  it('accepts several secrets, each of them long enough', () => {
    const secretIs = (text: string) => ({ ...good, SIGNING_SECRET: text });
    const two = `${'x'.repeat(32)},${'y'.repeat(32)}`;
    expect(readConfig(schema, secretIs(two)).SIGNING_SECRET).toBe(two);
    for (const bad of [
      `${'x'.repeat(32)},`,
      `${'x'.repeat(32)},${'y'.repeat(31)}`,
      `,${'x'.repeat(32)}`,
      two.replace(',', ', '),
      `${two}\n`,
      ` ${two}`,
    ])
      expect(problemsOf(secretIs(bad))).toEqual([expect.stringMatching(/^SIGNING_SECRET: must be a random/)]);
  });

  it('treats an empty variable as missing', () => {
    expect(readConfig(schema, { ...good, PORT: '' }).PORT).toBe(8080);
    expect(telemetryEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  });
});

describe('the address of MongoDB', () => {
  it.each([
    'mongodb://127.0.0.1:27017/pricing?replicaSet=rs0',
    'mongodb://pricing:password@mongo-0:27017,mongo-1:27017,mongo-2:27017/pricing?replicaSet=mongo',
    'mongodb+srv://pricing:password@mongo.example/pricing',
  ])('may be %s', (text) => {
    expect(mongoUrl.parse(text)).toBe(text);
  });

  it.each([
    '',
    'mongo',
    'postgres://mongo-0:27017,mongo-1:27017/pricing',
    'mongodb://:27017,mongo-1:27017/pricing',
  ])('cannot be %j', (text) => {
    expect(mongoUrl.safeParse(text).success).toBe(false);
  });
});
