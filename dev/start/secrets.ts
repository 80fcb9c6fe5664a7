/** Secrets of one `.dev` folder: random, made once, so that data of an earlier start stays readable. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.ts';

const hex = () => randomBytes(32).toString('hex');

const makers = {
  /** The token of the person at this machine, for the admin tool. */
  adminToken: hex,
  /** The console's own token for the admin routes of services. */
  consoleToken: hex,
  /** The console's secret at the sign-in simulator. */
  consoleOidc: hex,
  offersContext: hex,
  pricingContext: hex,
  billingContext: hex,
  moderationContext: hex,
  notifierContext: hex,
  unsubscribe: hex,
  webhookSeal: hex,
  imageUrl: hex,
  placementToken: hex,
  countSteps: hex,
  stripeTestKey: () => `sk_test_${hex()}`,
  stripeLiveKey: () => `sk_live_${hex()}`,
  stripeTestWebhook: () => `whsec_${hex()}`,
  stripeLiveWebhook: () => `whsec_${hex()}`,
};
export type Secrets = Readonly<Record<keyof typeof makers, string>>;

export function readOrMakeSecrets(folder: string): Secrets {
  const file = join(folder, 'secrets.json');
  const secrets = makeSecrets(readJson(file) ?? {});
  writeJson(file, secrets);
  return secrets;
}

export function makeSecrets(known: Partial<Secrets> = {}): Secrets {
  const made = Object.entries(makers).map(([name, make]) => [name, known[name as keyof Secrets] ?? make()]);
  return Object.fromEntries(made) as Secrets;
}
