/** The path of a command, as a shell finds it. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Server programs are often in folders that only root has in PATH. */
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
