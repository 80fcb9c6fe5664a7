import { runSimulator } from '../web-server.ts';
import { readRatesSimulatorConfig } from './config.ts';
import { startRatesSimulator } from './server.ts';

await runSimulator('Rates simulator', () => {
  const { HOST, PORT } = readRatesSimulatorConfig();
  return startRatesSimulator({ host: HOST, port: PORT });
});
