/**
 * Runs during an image build: `node strip-types.ts packages services` removes the types from all sources, in place. Lines and columns stay,
 * so stack traces are those of the repository. Processes load the files by packages/platform/src/process/stripped-sources.mjs.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

for (const folder of process.argv.slice(2))
  for (const file of globSync(`${folder}/**/*.ts`, { exclude: ['**/node_modules/**'] }))
    writeFileSync(file, stripTypeScriptTypes(readFileSync(file, 'utf8')));
