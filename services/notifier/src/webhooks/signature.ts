/** Signs webhooks as Standard Webhooks 1.0 says, with its symmetric scheme: https://www.standardwebhooks.com */
import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
/** The specification asks for 24 to 64. */
const secretBytes = 32;

export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

/** One signature for each secret: while a secret is being replaced, the receiver accepts the one that it knows. */
export function signatureHeaders(o: {
  readonly id: string;
  /** Of the attempt, not of the event: receivers refuse what is older than some minutes. */
  readonly at: Date;
  readonly body: string;
  readonly secrets: readonly string[];
}): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = `${Math.floor(o.at.getTime() / 1_000)}`;
  const signed = `${o.id}.${timestamp}.${o.body}`;
  const signatures = o.secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': o.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
