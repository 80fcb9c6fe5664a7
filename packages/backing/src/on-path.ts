/** Where a command is, as a shell would find it. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Server programs often lie where only root's PATH points. */
const serverFolders = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/sbin'];

export function onPath(command: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...serverFolders];
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
