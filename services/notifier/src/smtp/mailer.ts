/** SMTP: pooled connections, a time limit for every step, and the result of a mail as a value. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { type AttemptResult, attemptResultOf, type Stage, shown } from '../domain/delivery/attempt.ts';
import type { Message } from '../domain/letters/render-letter.ts';
import { compose } from './compose.ts';
import { type SmtpTls, smtpAddressOf, tlsOf } from './smtp-address.ts';

export type Mail = { readonly id: string; readonly recipient: string; readonly message: Message };

export type Mailer = AsyncDisposable & {
  /** Never throws. */
  readonly send: (mail: Mail) => Promise<AttemptResult>;
};

/** For connecting, TLS, login, sender and recipient together. Giving up here has sent nothing, so the limit can be short. */
const untilContentMs = 60_000;
/**
 * RFC 5321 (4.5.3.2.6): servers check a mail before they answer, and a client that waits less than ten minutes may send it twice. Silence
 * ends the attempt after this time; a server that answers slowly gets one minute more.
 */
const silenceMs = 600_000;
const untilAnswerMs = silenceMs + 60_000;

export function openMailer(o: {
  readonly smtpUrl: string;
  readonly tls?: SmtpTls | undefined;
  /** PEM; the only authorities accepted for the server's certificate. */
  readonly authorities?: string | undefined;
  readonly from: string;
  readonly connections: number;
  /** Of this process; undefined for no limit. */
  readonly perSecond?: number | undefined;
  /** For tests, which do not wait for minutes. */
  readonly untilContentMs?: number;
  readonly contentMs?: number;
}): Mailer {
  const address = smtpAddressOf(o.smtpUrl);
  const { host, port, secure, login } = address;
  const required = tlsOf(address, o.tls) === 'required';
  // The pool lets go all connections that have waited at the end of an interval, so an interval has as many mails as connections.
  const atOnce = Math.max(1, Math.min(o.connections, Math.floor(o.perSecond ?? o.connections)));
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure,
    requireTLS: required,
    ignoreTLS: !required,
    tls: { minVersion: 'TLSv1.2', ...(o.authorities === undefined ? {} : { ca: o.authorities }) },
    ...(login === undefined ? {} : { auth: login }),
    maxConnections: atOnce,
    maxMessages: 1_000,
    ...(o.perSecond !== undefined && { rateLimit: atOnce, rateDelta: (1_000 * atOnce) / o.perSecond }),
    // The store does the retries: a message repeated by the pool could arrive twice.
    maxRequeues: 0,
    // Closed before most servers do it, so that few mails use a connection that has just been closed.
    idleTimeout: 20_000,
    connectionTimeout: 10_000,
    greetingTimeout: 30_000,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const progressOf = new WeakMap<AbortSignal, Progress>();
  transport.use('stream', (mail, done) => {
    const progress = mail.data.signal && progressOf.get(mail.data.signal);
    const { message } = mail;
    // Called when a connection is ready and logged in; read when the server has asked for the content.
    message.createReadStream = () => {
      progress?.reachedEnvelope();
      const content = new Readable({
        read: () => {
          progress?.reachedContent();
          content.push(compose(message));
          content.push(null);
        },
      });
      return content;
    };
    done();
  });

  return {
    send: async ({ id, recipient, message }) => {
      const progress = watchProgress({ untilContentMs, contentMs: untilAnswerMs, ...o });
      progressOf.set(progress.signal, progress);
      try {
        const { response } = await transport.sendMail({
          from: o.from,
          to: { name: '', address: recipient },
          messageId: messageIdOf(id, o.from),
          xMailer: false,
          ...message,
          headers: { ...message.headers, 'Auto-Submitted': 'auto-generated' },
          signal: progress.signal,
        });
        return { outcome: 'accepted', reply: shown(response) };
      } catch (error) {
        return attemptResultOf(failureOf(error as SmtpError, progress.stage()));
      } finally {
        progress.end();
      }
    },
    [Symbol.asyncDispose]: async () => transport.close({ force: true }),
  };
}

/** The same for every attempt of a notification, so that a mailbox can recognise a second copy. */
export function messageIdOf(notificationId: string, from: string): string {
  const domain = /@([^\s@<>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${createHash('sha256').update(notificationId).digest('hex').slice(0, 40)}@${domain}>`;
}

type Progress = ReturnType<typeof watchProgress>;

/** Tracks how far a mail has come; the signal aborts it when its time is over. */
function watchProgress(o: { readonly untilContentMs: number; readonly contentMs: number }) {
  const abort = new AbortController();
  const giveUpIn = (ms: number) => setTimeout(() => abort.abort(), ms);
  let stage: Stage = 'session';
  let timer = giveUpIn(o.untilContentMs);
  return {
    signal: abort.signal,
    stage: () => stage,
    /** The server has accepted the connection and the login. */
    reachedEnvelope: () => {
      stage = 'envelope';
    },
    /** From now on the server may get the mail. */
    reachedContent: () => {
      stage = 'content';
      clearTimeout(timer);
      timer = giveUpIn(o.contentMs);
    },
    end: () => clearTimeout(timer),
  };
}

/** nodemailer's errors: `code` names what failed, `command` the SMTP command, `response` is the server's answer. */
type SmtpError = Error & { readonly code?: string; readonly command?: string; readonly response?: string };

function failureOf({ code, command, response, message }: SmtpError, stage: Stage) {
  return {
    stage,
    command,
    reply: response,
    unsendable: response === undefined && (code === 'EENVELOPE' || code === 'EMESSAGE'),
    problem: code === 'EABORT' ? 'the mail server did not answer in time' : message,
  };
}
