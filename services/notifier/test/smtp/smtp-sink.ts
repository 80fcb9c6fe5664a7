/** A real SMTP server that tests start, stop, and tell to refuse mails. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Certificate } from './certificate.ts';

export type SmtpSink = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly mails: readonly Email[];
  /** Answers the next recipients with this code instead of taking them; 0 takes them again. */
  readonly refuseWith: (code: number) => void;
  readonly refused: () => number;
  /** Mails and logins that came without TLS. */
  readonly plain: () => number;
};

/**
 * `port` 0 takes a free one; the same port again is the same server back from an outage. With a certificate it speaks TLS,
 * after STARTTLS or from the first byte.
 */
export async function startSmtpSink(
  port = 0,
  tls?: Certificate & { readonly from: 'starttls' | 'first byte' },
): Promise<SmtpSink> {
  const mails: Email[] = [];
  let code = 0;
  let refused = 0;
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
      if (code === 0) return done();
      refused += 1;
      done(Object.assign(new Error('not now'), { responseCode: code }));
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
  const listening = server.listen(port, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  const address = listening.address() as AddressInfo;
  return {
    url: `${tls?.from === 'first byte' ? 'smtps' : 'smtp'}://127.0.0.1:${address.port}`,
    port: address.port,
    mails,
    refuseWith: (next) => {
      code = next;
    },
    refused: () => refused,
    plain: () => plain,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
