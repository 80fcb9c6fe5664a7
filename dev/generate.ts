/** `npm run generate` writes every generated document; `--check` only compares and fails on a difference (CI). */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { allDocuments } from '@offer-ads/contracts/public/documents';
import { monitoringDocuments } from '@offer-ads/deploy/monitoring/documents';
import { envExample } from '@offer-ads/deploy/settings/env-example';
import { settingsPage } from '@offer-ads/deploy/settings/settings-page';
import { readCommandLine } from './command-line.ts';
import { readmesWithEvents } from './readme-events.ts';
import { repository } from './start/folder.ts';

/** This folder contains only generated files. */
const ofContracts = 'packages/contracts/generated';

const usage = `npm run generate -- [--check]
  --check   writes nothing, and fails when a document differs`;
const { check } = readCommandLine(
  usage,
  (args) => parseArgs({ args, options: { check: { type: 'boolean', default: false } } }).values,
);

const documents = new Map([
  ...[...allDocuments()].map(([file, text]) => [join(ofContracts, file), text] as const),
  ['.env.example', envExample()],
  ['docs/operations/settings.md', settingsPage()],
  ...monitoringDocuments(),
  ...readmesWithEvents(),
]);

if (check) {
  const found = [
    ...(await differences()),
    ...(await leftovers()).map((path) => `${path}: no longer declared`),
  ];
  if (found.length > 0) {
    console.error(
      `Generated documents differ; run \`npm run generate\` and commit:\n  ${found.join('\n  ')}`,
    );
    process.exitCode = 1;
  }
} else {
  for (const path of await leftovers()) await rm(join(repository, path));
  for (const [path, text] of documents) {
    await mkdir(dirname(join(repository, path)), { recursive: true });
    await writeFile(join(repository, path), text);
  }
  console.log(`${documents.size} documents written.`);
}

async function differences(): Promise<string[]> {
  const found: string[] = [];
  for (const [path, text] of documents) {
    const committed = await readFile(join(repository, path), 'utf8').catch(() => undefined);
    if (committed !== text) found.push(`${path}: ${committed === undefined ? 'missing' : 'out of date'}`);
  }
  return found;
}

async function leftovers(): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(repository, ofContracts), options).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
    .filter((path) => !documents.has(path));
}
