/** `npm run generate` writes every generated document; `--check` only compares and fails on a difference (CI). */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allDocuments } from './documents.ts';

const folder = join(import.meta.dirname, '..', 'generated');
const documents = allDocuments();

async function committedFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function differences(): Promise<string[]> {
  const found: string[] = [];
  for (const [file, text] of documents) {
    const committed = await readFile(join(folder, file), 'utf8').catch(() => undefined);
    if (committed !== text) found.push(`${file}: ${committed === undefined ? 'missing' : 'out of date'}`);
  }
  for (const path of await committedFiles()) {
    const file = path.slice(folder.length + 1);
    if (!documents.has(file)) found.push(`${file}: no longer declared`);
  }
  return found;
}

if (process.argv.includes('--check')) {
  const found = await differences();
  if (found.length > 0) {
    console.error(
      `Generated documents differ; run \`npm run generate\` and commit:\n  ${found.join('\n  ')}`,
    );
    process.exitCode = 1;
  }
} else {
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of documents) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  console.log(`${documents.size} documents written.`);
}
