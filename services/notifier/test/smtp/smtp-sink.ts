/** A real SMTP server, which keeps the mails that it gets. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Certificate } from '@offer-ads/testing/certificate';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export type SmtpSink = AsyncDisposable & {
  readonly url: string;
  readonly mails: Email[];
  /** Mails and logins that came without TLS. */
  readonly plain: () => number;
};

/** With a certificate it speaks TLS, after STARTTLS or from the first byte. */
export async function startSmtpSink(
  tls?: Certificate & { readonly from: 'starttls' | 'first byte' },
): Promise<SmtpSink> {
  const mails: Email[] = [];
  let plain = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: tls === undefined ? ['STARTTLS'] : [],
    secure: tls?.from === 'first byte',
    ...tls,
    allowInsecureAuth: true,
    onAuth: (_credentials, session, done) => {
      if (!session.secure) plain += 1;
      done(new Error('wrong credentials'));
    },
    onRcptTo: (_address, session, done) => {
      if (!session.secure) plain += 1;
      done();
    },
    onData: (stream, _session, done) => {
      const stored = async () => {
        mails.push(await PostalMime.parse(await buffer(stream)));
      };
      void stored().finally(done);
    },
  });
  // A broken connection is no error of the test.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  const address = listening.address() as AddressInfo;
  return {
    url: `${tls?.from === 'first byte' ? 'smtps' : 'smtp'}://127.0.0.1:${address.port}`,
    mails,
    plain: () => plain,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
