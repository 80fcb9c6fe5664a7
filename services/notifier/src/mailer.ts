/** SMTP: pooled connections, every step bounded, and the server's refusals as values. */
import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Attempt } from './domain/delivery.ts';
import type { Message } from './domain/letter.ts';

export type Mail = { readonly id: string; readonly recipient: string; readonly message: Message };

export type Mailer = AsyncDisposable & {
  readonly send: (mail: Mail) => Promise<Attempt>;
};

/** A whole delivery, TLS and login included. A claimed notification is leased for longer than this. */
export const sendTimeoutMs = 60_000;

export function openMailer(o: {
  /** `smtp://` (STARTTLS when the server offers it, `?requireTLS=true` to insist) or `smtps://`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly connections: number;
}): Mailer {
  const domain = /@([^\s@<>]+)>?\s*$/.exec(o.from)?.[1] ?? 'localhost';
  const transport = createTransport({
    url: o.smtpUrl,
    pool: true,
    maxConnections: o.connections,
    // Retries are the store's: a message that the pool sent again by itself could arrive twice.
    maxRequeues: 0,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ id, recipient, message }) => {
      try {
        await transport.sendMail({
          from: o.from,
          to: { name: '', address: recipient },
          messageId: messageIdOf(id, domain),
          ...message,
          headers: { ...message.headers, 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(sendTimeoutMs),
        });
        return { outcome: 'accepted' };
      } catch (error) {
        return refusal(error as SmtpError);
      }
    },
    [Symbol.asyncDispose]: async () => transport.close(),
  };
}

/** The same notification has the same id at every attempt, so that a mailbox can tell a second copy. */
function messageIdOf(notificationId: string, domain: string): string {
  return `<${createHash('sha256').update(notificationId).digest('hex').slice(0, 40)}@${domain}>`;
}

/** nodemailer's errors: `code` names the step, `responseCode` is the server's. */
type SmtpError = Error & { readonly code?: string; readonly responseCode?: number };

/** Steps that concern this one message. A 5xx at greeting or login concerns the server or our credentials. */
const messageSteps: ReadonlySet<string | undefined> = new Set(['EENVELOPE', 'EMESSAGE']);

function refusal(error: SmtpError): Attempt {
  const permanent = messageSteps.has(error.code) && (error.responseCode ?? 500) >= 500;
  return { outcome: 'refused', permanent, problem: `${error.code ?? 'error'}: ${error.message}` };
}
