/**
 * `node bench/notifier/sink.ts`: a mail server that takes every mail, remembers its Message-ID and forgets the rest; one for all peers.
 * `DELETE /?answerAfterMs=50` forgets what it remembers, and from then on it answers each mail after so many milliseconds.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

const [smtpPort, httpPort] = [Number(process.env.SMTP_PORT), Number(process.env.PORT)];
const messageIds = new Set<string>();
let mails = 0;
let answerAfterMs = 0;

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onData: (stream, _session, done) => {
    let head = '';
    stream.on('data', (chunk: Buffer) => {
      if (head.length < 4_096) head += chunk.toString('latin1');
    });
    stream.on('end', () => {
      mails += 1;
      messageIds.add(/^Message-ID: (.*)$/im.exec(head)?.[1] ?? '');
      if (answerAfterMs > 0) setTimeout(done, answerAfterMs);
      else done();
    });
  },
});
smtp.on('error', (error) => console.error(error.message));
smtp.listen(smtpPort, '127.0.0.1');
await once(smtp.server, 'listening');

createServer((req, res) => {
  if (req.method === 'DELETE') {
    mails = 0;
    messageIds.clear();
    answerAfterMs = Number(new URL(req.url ?? '/', 'http://sink').searchParams.get('answerAfterMs'));
  }
  res.end(JSON.stringify({ mails, different: messageIds.size }));
}).listen(httpPort, '127.0.0.1');
