import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addressesOf, deadLinksOf } from './links.ts';

const repository = join(import.meta.dirname, '../..');
const inFolder = (folder: string) =>
  readdirSync(join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const guides = inFolder('docs/guides');
const services = readdirSync(join(repository, 'services')).map((name) => `services/${name}/README.md`);

/** Pages of the service that guides may send readers to (services/gateway/test/pages.api.test.ts). */
const pages = new Set([
  '/docs/reference',
  '/openapi.json',
  '/portal',
  '/portal/docs',
  '/docs/postman-collection.json',
]);

describe('links lead somewhere, to files and sections that exist', () => {
  it.each([
    ...guides,
    ...inFolder('docs'),
    ...services,
    'README.md',
    'dev/README.md',
    'packages/sdk/README.md',
  ])('%s', (file) => {
    expect(deadLinksOf(join(repository, file))).toEqual([]);
  });

  it.each(guides)('and to pages of the service: %s', (file) => {
    expect(addressesOf(join(repository, file)).filter((address) => !pages.has(address))).toEqual([]);
  });
});
