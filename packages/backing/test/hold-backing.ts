/** Runs embedded backing services in the given folder until SIGTERM and prints their addresses. Started by embedded.test.ts. */
import { once } from 'node:events';
import { provideBacking } from '../src/backing.ts';

const none = { variable: 'none', url: undefined };
const backing = await provideBacking({
  folder: process.argv[2] ?? '',
  addresses: { postgres: none, mongo: none, rabbitmq: none, valkey: none },
  containers: 'compose',
  durable: true,
  report: () => {},
});
console.log(JSON.stringify(backing));
const forever = setInterval(() => {}, 60_000);
await once(process, 'SIGTERM');
await backing[Symbol.asyncDispose]();
clearInterval(forever);
