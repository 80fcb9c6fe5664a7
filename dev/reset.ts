/** `npm run reset`: deletes all data of `npm start` on this machine, unless the system is running. */
import { rmSync } from 'node:fs';
import { removeBacking } from '@offer-ads/backing/backing';
import { claimFolder } from '@offer-ads/backing/data-folder';
import { reasonOf } from '@offer-ads/backing/find';
import { refuseOptions } from './command-line.ts';
import { devFolder, foldersIn } from './start/folder.ts';

refuseOptions('npm run reset deletes all data of `npm start` on this machine. It takes no options.');
const { backingFolder, runFolder } = foldersIn(devFolder);

try {
  await claimFolder(runFolder);
  await removeBacking(backingFolder);
  rmSync(devFolder, { recursive: true, force: true });
  console.log(
    `Deleted ${devFolder}. Databases on servers that you named in the environment are not deleted.`,
  );
} catch (error) {
  console.error(`Not deleted: ${reasonOf(error)}`);
  process.exitCode = 1;
}
