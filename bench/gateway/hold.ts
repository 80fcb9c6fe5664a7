/**
 * The stage with one gateway on a fixed port, held until Ctrl-C, for measuring by hand while changing it:
 *
 *   node bench/gateway/hold.ts [port, 18480 if not given] [arguments for node, such as --cpu-prof]
 *
 * Says the wrk command, and writes the settings to a file for starting more gateways. `kill -HUP` of this process
 * starts the gateway anew with the sources as they then are.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCleanEnd } from '../clean-end.ts';
import { createApiKey, startGatewayProcess } from './gateway.ts';
import { findPrograms } from './peers/programs.ts';
import { clientsFor, requestPath } from './requests.ts';
import { setStage } from './stage.ts';
import { wrkArguments } from './wrk.ts';

const seconds = 10;

await withCleanEnd(async (opened) => {
  const [port = '18480', ...nodeArgs] = process.argv.slice(2);
  const programs = findPrograms();
  const stage = await setStage(opened, { nginx: programs.nginx, report: console.log });
  const url = `http://127.0.0.1:${port}`;
  const start = (restart: number) =>
    startGatewayProcess({
      name: `gateway-${restart}`,
      folder: stage.folder,
      port: Number(port),
      settings: stage.settings,
      nodeArgs,
    });
  let gateway = await start(0);
  opened.defer(() => gateway[Symbol.asyncDispose]());
  const apiKey = await createApiKey(url);

  const settingsFile = join(stage.folder, 'gateway.env');
  const lines = Object.entries({ ...stage.settings, PORT: port }).map(([name, value]) => `${name}=${value}`);
  writeFileSync(settingsFile, `${lines.join('\n')}\n`, { mode: 0o600 });
  const load = { url: `${url}${requestPath}`, apiKey, clients: clientsFor(seconds) };
  console.log(`gateway ${gateway.pid} at ${url}; upstream at http://127.0.0.1:${stage.upstreamPort}`);
  console.log(`settings   node --env-file=${settingsFile} services/gateway/src/main.ts`);
  console.log(`load       wrk ${wrkArguments(load, seconds).join(' ')}`);
  console.log(`restart    kill -HUP ${process.pid}`);

  for (let restart = 1; ; restart += 1) {
    await new Promise((resolve) => process.once('SIGHUP', resolve));
    await gateway[Symbol.asyncDispose]();
    gateway = await start(restart);
    console.log(`gateway ${gateway.pid} anew`);
  }
});
