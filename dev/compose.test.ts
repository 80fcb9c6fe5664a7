/** What docker-compose.yml promises, checked against the code that it starts. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/primitives';
import { parse } from 'yaml';
import { readBillingConfig } from '../services/billing/src/config.ts';
import { readGatewayConfig } from '../services/gateway/src/config.ts';
import { readModerationConfig } from '../services/moderation/src/config.ts';
import { readNotifierConfig } from '../services/notifier/src/config.ts';
import { readOffersConfig } from '../services/offers/src/config.ts';
import { readPricingConfig } from '../services/pricing/src/config.ts';
import { images } from './backing/containers.ts';
import { stores } from './backing/stores.ts';

const readers: Record<ServiceName, (env: NodeJS.ProcessEnv) => unknown> = {
  gateway: readGatewayConfig,
  offers: readOffersConfig,
  billing: readBillingConfig,
  pricing: readPricingConfig,
  moderation: readModerationConfig,
  notifier: readNotifierConfig,
};

const repositoryFile = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

type ComposeFile = {
  readonly services: Record<
    string,
    { readonly image: string; readonly environment?: Record<string, unknown> }
  >;
};
const compose = (path: string) => parse(repositoryFile(path), { merge: true }) as ComposeFile;
const whole = compose('docker-compose.yml');

/** The lines `NAME=` and `NAME=value` of .env.example. */
const exampleSettings: Record<string, string> = Object.fromEntries(
  [...repositoryFile('.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);
const leftBlank = Object.keys(exampleSettings).filter((name) => exampleSettings[name] === '');

/** What a person might fill in. */
function filledIn(name: string): string {
  if (name.endsWith('WEBHOOK_SECRET')) return 'whsec_0123456789abcdef';
  if (name.startsWith('STRIPE')) return `sk_${name.includes('LIVE') ? 'live' : 'test'}_0123456789abcdef`;
  if (name === 'SMTP_URL') return 'smtps://user:password@mail.example:465';
  if (name === 'MAIL_FROM') return 'Offers <offers@mail.example>';
  if (name === 'SELLER_VAT_NUMBER') return 'GB 123 4567 89';
  return '0123456789abcdef0123456789abcdef';
}

/** Compose's `${NAME:?}` and `${NAME:-default}`. */
function resolve(value: unknown, settings: Record<string, string>): string {
  return String(value).replace(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_, name: string, kind: string, fallback: string) => {
      if (settings[name]) return settings[name];
      if (kind === '?') throw new Error(`${name} is required`);
      return fallback;
    },
  );
}

function environmentOf(service: ServiceName, settings: Record<string, string>): Record<string, string> {
  const entries = Object.entries(whole.services[service]?.environment ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, resolve(value, settings)]));
}

/** Which variables a config reader asks for, told by an environment that has none of them. */
function variablesRead(read: (env: NodeJS.ProcessEnv) => unknown): string[] {
  const asked = new Set<string>();
  const nothing = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.add(String(name)) });
  expect(() => read(nothing)).toThrow('Settings are missing or wrong');
  return [...asked];
}

describe.each(serviceNames)('%s in docker-compose.yml', (service) => {
  it('is given every variable that its config reads, and no other', () => {
    const given = Object.keys(whole.services[service]?.environment ?? {});
    // Read by the telemetry hook, before there is a config.
    const read = [...variablesRead(readers[service]), 'OTEL_EXPORTER_OTLP_ENDPOINT'];
    expect(given.toSorted()).toEqual(read.toSorted());
  });

  it('starts with what .env.example asks for, once that is filled in', () => {
    const filled = Object.fromEntries(leftBlank.map((name) => [name, filledIn(name)]));
    const environment = environmentOf(service, { ...exampleSettings, ...filled });
    expect(() => readers[service](environment)).not.toThrow();
  });
});

describe('docker-compose.yml', () => {
  it('has no default for anything that .env.example leaves blank', () => {
    const text = repositoryFile('docker-compose.yml');
    const required = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name ?? '');
    expect([...new Set(required)].toSorted()).toEqual(leftBlank.toSorted());
    for (const name of leftBlank) expect(text).not.toMatch(new RegExp(`\\$\\{?${name}(?!:\\?\\})\\b`));
  });

  it('runs the same versions of the stores as tests and npm start', () => {
    const forStart = compose('dev/backing/docker-compose.yml');
    for (const store of stores) {
      expect(whole.services[store]?.image).toBe(images[store]);
      expect(forStart.services[store]?.image).toBe(images[store]);
    }
  });
});
