import { runSimulator } from '../web-server.ts';
import { readMailSinkConfig } from './config.ts';
import { startMailSink } from './server.ts';

await runSimulator('Mail sink', () => {
  const { HOST, PORT, SMTP_PORT } = readMailSinkConfig();
  return startMailSink({ host: HOST, port: PORT, smtpPort: SMTP_PORT });
});
