/** Runs during image builds, in a folder with manifests only: removes development dependencies from them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Lock, lockOfImages } from './lock.ts';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as object;
const write = (file: string, content: object) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);

const lock = read('package-lock.json') as Lock;
write('package-lock.json', lockOfImages(lock));
for (const path of Object.keys(lock.packages).filter((folder) => !folder.includes('node_modules'))) {
  const file = `${path || '.'}/package.json`;
  write(file, { ...read(file), devDependencies: undefined });
}
