/** The mail sink: accepts all messages by SMTP, delivers none, and shows them on a web page and as JSON. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { faultsRoute, listen, type WebServer } from '../web-server.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { framedHtml, listPage, messagePage, missingPage, sandbox } from './pages.ts';

const largestMessageBytes = 10 * 1024 * 1024;

const mailFaults = z.strictObject({
  /** How long the server waits before it accepts each message. */
  slowMs: z.int().min(0).max(60_000).optional(),
});
type Faults = { current: z.infer<typeof mailFaults> };

export type MailSink = WebServer & { readonly smtpUrl: string };

export async function startMailSink(
  o: { host?: string; port?: number; smtpPort?: number } = {},
): Promise<MailSink> {
  const host = o.host ?? '127.0.0.1';
  const mailbox = createMailbox();
  const faults: Faults = { current: {} };
  const smtp = await listenSmtp(mailbox, faults, { host, port: o.smtpPort ?? 0 });
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

async function listenSmtp(mailbox: Mailbox, faults: Readonly<Faults>, o: { host: string; port: number }) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: largestMessageBytes,
    closeTimeout: 1000,
    onAuth: (_, __, done) => done(null, { user: 'anybody' }),
    onData(stream, session, done) {
      void answer(async () => {
        const messages = await read(stream, session.envelope);
        await pause(faults.current.slowMs ?? 0, undefined, { ref: false });
        for (const message of messages) mailbox.add(message);
      }, done);
    },
  });
  // Clients may disconnect at any time.
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

/** Calls the callback of the library. A message that cannot be read is refused. */
async function answer(work: () => Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work();
    done();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
}

type Envelope = { mailFrom: false | { address: string }; rcptTo: { address: string }[] };

/** One message for each recipient of the envelope, because the envelope decides the delivery. */
async function read(stream: AsyncIterable<Buffer>, envelope: Envelope) {
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
    receivedAt: new Date().toISOString(),
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
    // The page may be opened without its frame, so the sandbox is set here too.
    res.set(
      'content-security-policy',
      `sandbox ${sandbox}; default-src 'none'; style-src 'unsafe-inline'; img-src *`,
    );
    res.status(message ? 200 : 404).type('html');
    res.send(message ? framedHtml(message) : missingPage());
  });
  faultsRoute(app, '/sim/mail', {
    schema: mailFaults,
    set: (asked) => {
      faults.current = asked;
    },
  });
  app.get('/livez', (_, res) => res.json({ status: 'ok' }));
  return app;
}
