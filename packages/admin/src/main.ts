/** `npm run admin -- <command>`: the platform team's tool. It calls the services' admin routes and reads no store. */
import { userInfo } from 'node:os';
import { readAdminSettings } from './config.ts';
import { runAdmin } from './run.ts';
import { createTools } from './tools.ts';

process.exitCode = await runAdmin(
  process.argv.slice(2),
  () => createTools(readAdminSettings(), { actor: whoAmI() }),
  { out: console.log, err: console.error },
);

/** A container may run under a number for which nobody has written down a name. */
function whoAmI(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
