/** `npm run reset`: deletes all data of `npm start` on this machine, unless it runs. */
import { rmSync } from 'node:fs';
import { removeBacking } from './backing/backing.ts';
import { claimFolder } from './backing/data-folder.ts';
import { reasonOf } from './backing/find.ts';
import { backingFolder, devFolder, runFolder } from './start/folder.ts';

try {
  await claimFolder(runFolder);
  await removeBacking(backingFolder);
  rmSync(devFolder, { recursive: true, force: true });
  console.log(
    `Deleted ${devFolder}. Databases on servers that you named in the environment are yours to delete.`,
  );
} catch (error) {
  console.error(`Not deleted: ${reasonOf(error)}`);
  process.exitCode = 1;
}
