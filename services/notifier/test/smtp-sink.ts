/** A real SMTP server that tests bring up, take down, and teach to refuse. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export type SmtpSink = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly mails: readonly Email[];
  /** Answers the next recipients with this code instead of taking them; 0 takes them again. */
  readonly refuseWith: (code: number) => void;
  readonly refused: () => number;
};

/** `port` 0 takes a free one; the same port again is the same server back from an outage. */
export async function startSmtpSink(port = 0): Promise<SmtpSink> {
  const mails: Email[] = [];
  let code = 0;
  let refused = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_credentials, _session, done) => done(new Error('wrong credentials')),
    onRcptTo: (_address, _session, done) => {
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
  // A connection that breaks off is the business of whoever broke it.
  server.on('error', () => {});
  const listening = server.listen(port, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  const address = listening.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    mails,
    refuseWith: (next) => {
      code = next;
    },
    refused: () => refused,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
