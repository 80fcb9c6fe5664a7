/** The pages that the gateway and the console read when they start. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const buildPages = fileURLToPath(new URL('../../../web/build.ts', import.meta.url));
let built: Promise<unknown> | undefined;

/** Resolves when they are built from the sources of today. By a command, because packages import nothing of web/. */
export async function pagesAreBuilt(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, [buildPages], { timeout: 300_000 });
  await built;
}
