/** `node bench/notifier/nodemailer-alone.ts`: the library's own pool, the same mails, nothing kept and nothing remembered. */
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';
import { mail } from './mails.ts';

const { SMTP_URL = '', PORT, MAILS, SMTP_CONNECTIONS } = process.env;
const { hostname: host, port } = new URL(SMTP_URL);
const transport = createTransport({
  pool: true,
  host,
  port: Number(port),
  ignoreTLS: true,
  maxConnections: Number(SMTP_CONNECTIONS),
  maxMessages: 1_000,
});
createServer((_req, res) => res.end('ok')).listen(Number(PORT), '127.0.0.1');

let next = 0;
/** As many as there are connections: a queue of thousands in the pool would only cost memory. */
async function lane(): Promise<void> {
  while (next < Number(MAILS)) {
    const { id, recipient, message } = mail(next);
    next += 1;
    await transport.sendMail({
      from: 'Offers <offers@ads.example>',
      to: recipient,
      messageId: `<${encodeURIComponent(id)}@ads.example>`,
      ...message,
      headers: { ...message.headers },
    });
  }
}
await Promise.all(Array.from({ length: Number(SMTP_CONNECTIONS) }, lane));
