/** `npm run admin -- <command>`: the platform team's tool. It calls the services' admin routes and reads no store. */
import { readAdminSettings } from './config.ts';
import { runAdmin } from './run.ts';
import { createTools } from './tools.ts';

process.exitCode = await runAdmin(process.argv.slice(2), () => createTools(readAdminSettings()), {
  out: console.log,
  err: console.error,
});
