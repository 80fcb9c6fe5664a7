/** The mail sink: takes every message by SMTP, delivers none, shows them on a web page and as JSON. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import express from 'express';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { listen, type WebServer } from '../web-server.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { framedHtml, listPage, messagePage, missingPage, sandbox } from './pages.ts';

const largestMessageBytes = 10 * 1024 * 1024;

const mailFaults = z.strictObject({
  /** How long the server thinks about each message before it takes it. */
  slowMs: z.int().min(0).max(60_000).optional(),
});
type Faults = { current: z.infer<typeof mailFaults> };

export type MailSink = WebServer & { readonly smtpUrl: string };

export async function startMailSink(
  o: { host?: string; port?: number; smtpPort?: number; clock?: Clock } = {},
): Promise<MailSink> {
  const host = o.host ?? '127.0.0.1';
  const mailbox = createMailbox();
  const faults: Faults = { current: {} };
  const listening = { host, port: o.smtpPort ?? 0, clock: o.clock ?? systemClock };
  const smtp = await listenSmtp(mailbox, faults, listening);
  const web = await listen(webApp(mailbox, faults), { host, port: o.port ?? 0 });
  return {
    ...web,
    smtpUrl: `smtp://${new URL(web.url).hostname}:${smtp.port}`,
    async [Symbol.asyncDispose]() {
      await smtp[Symbol.asyncDispose]();
      await web[Symbol.asyncDispose]();
    },
  };
}

async function listenSmtp(
  mailbox: Mailbox,
  faults: Readonly<Faults>,
  o: { host: string; port: number; clock: Clock },
) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: largestMessageBytes,
    closeTimeout: 1000,
    onAuth: (_, __, done) => done(null, { user: 'anybody' }),
    onData(stream, session, done) {
      void answer(async () => {
        const messages = await read(stream, session.envelope, o.clock);
        await pause(faults.current.slowMs ?? 0, undefined, { ref: false });
        for (const message of messages) mailbox.add(message);
      }, done);
    },
  });
  // A client that hangs up in the middle is its own affair.
  server.on('error', () => undefined);
  server.listen(o.port, o.host);
  await Promise.race([
    once(server.server, 'listening'),
    once(server.server, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** The library takes its answer by callback; a message that could not be read is refused, and the sender told. */
async function answer(work: () => Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work();
    done();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
}

type Envelope = { mailFrom: false | { address: string }; rcptTo: { address: string }[] };

/** One message per recipient of the envelope, which is where it would really have gone. */
async function read(stream: AsyncIterable<Buffer>, envelope: Envelope, clock: Clock) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes <= largestMessageBytes) chunks.push(chunk);
  }
  if (bytes > largestMessageBytes) throw Object.assign(new Error('Message too large'), { responseCode: 552 });
  const parsed = await PostalMime.parse(Buffer.concat(chunks));
  const envelopeFrom = envelope.mailFrom ? envelope.mailFrom.address : '';
  return envelope.rcptTo.map(({ address }) => ({
    to: address,
    from: parsed.from?.address ?? envelopeFrom,
    subject: parsed.subject ?? '',
    text: parsed.text ?? '',
    html: parsed.html ?? '',
    headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value])),
    receivedAt: clock.now().toISOString(),
  }));
}

function webApp(mailbox: Mailbox, faults: Faults) {
  const app = express();
  app.disable('x-powered-by');
  const address = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

  app.get('/api/messages', (req, res) => {
    res.json(mailbox.list(address(req.query.to)).map(({ id: _id, ...message }) => message));
  });
  app.get('/', (req, res) => {
    const to = address(req.query.to);
    res.send(listPage(mailbox.list(to), to));
  });
  app.get('/messages/:id', (req, res) => {
    const message = mailbox.find(Number(req.params.id));
    res.status(message ? 200 : 404).send(message ? messagePage(message) : missingPage());
  });
  app.get('/messages/:id/html', (req, res) => {
    const message = mailbox.find(Number(req.params.id));
    // The page may be opened without its frame, so the sandbox is said here too.
    res.set(
      'content-security-policy',
      `sandbox ${sandbox}; default-src 'none'; style-src 'unsafe-inline'; img-src *`,
    );
    res.status(message ? 200 : 404).type('html');
    res.send(message ? framedHtml(message) : missingPage());
  });
  app.post('/sim/mail', express.json(), (req, res) => {
    const asked = mailFaults.safeParse(req.body ?? {});
    if (asked.success) {
      faults.current = asked.data;
      res.json(asked.data);
    } else {
      res.status(400).json({ message: asked.error.issues.map((issue) => issue.message).join('; ') });
    }
  });
  app.get('/livez', (_, res) => res.json({ status: 'ok' }));
  return app;
}
