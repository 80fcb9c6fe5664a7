import { runSimulator } from '../web-server.ts';
import { readIdentitySimulatorConfig } from './config.ts';
import { startIdentitySimulator } from './server.ts';

await runSimulator('Sign-in simulator', () => {
  const config = readIdentitySimulatorConfig();
  return startIdentitySimulator({
    host: config.HOST,
    port: config.PORT,
    browserUrl: config.BROWSER_URL,
    issuer: config.ISSUER_URL,
    clientId: config.CLIENT_ID,
    clientSecret: config.CONSOLE_OIDC_CLIENT_SECRET,
    consoleUrl: config.CONSOLE_URL,
  });
});
