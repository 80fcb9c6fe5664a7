/** The `.env` of a first start, which simulates all external services. .env.example has every setting. */

import { demoSeller, demoSender } from '@offer-ads/dev/demo-data/seller';
import { simulatedRoles } from '@offer-ads/simulators/identity/people';
import { ratesPath } from '@offer-ads/simulators/rates/server';

export const simulatedSettings: Readonly<Record<string, string>> = {
  COMPOSE_PROFILES: 'simulators',
  STRIPE_API_URL: 'http://stripe-simulator:8080',
  RATES_URL: `http://rates-simulator:8080${ratesPath}`,
  SMTP_TLS: 'off',
  CONSOLE_OIDC_ISSUER: 'http://identity-simulator:8080',
  CONSOLE_OIDC_CLIENT_ID: 'console',
  CONSOLE_OIDC_ROLES: simulatedRoles,
  MAIL_FROM: demoSender,
  ...demoSeller,
};

const observed = {
  COMPOSE_PROFILES: 'simulators,console,observability',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318',
};

const lines = (settings: Readonly<Record<string, string>>, before = '') =>
  Object.entries(settings).map(
    ([name, value]) => `${before}${name}=${/[\s<>]/.test(value) ? `"${value}"` : value}`,
  );

export const firstEnv = `${[
  '# A trial system: the card provider, the central bank, the mail server and the sign-in of staff are simulated. .env.example has every setting.',
  ...lines(simulatedSettings),
  '',
  '# Uncomment for traces, metrics, alerts and dashboards (Jaeger, Prometheus, Grafana; 1.7 GB of memory):',
  ...lines(observed, '# '),
].join('\n')}\n`;
