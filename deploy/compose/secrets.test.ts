/** The files that `npm run compose:set-up` makes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { composeText } from './file.ts';
import { writeSecrets } from './folder.ts';
import { inventFiles, storeFiles } from './secrets.ts';

const all = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
afterAll(() => rmSync(all, { recursive: true }));
const newFolder = () => join(mkdtempSync(join(all, 'one-')), 'secrets');
const contentOf = (folder: string) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

describe('the folder of secrets', () => {
  it('can be opened only by its owner, while containers can read the files that they get', () => {
    const folder = newFolder();
    writeSecrets(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) {
      const { mode } = statSync(join(folder, name));
      expect([name, mode & 0o777]).toEqual([name, 0o644]);
    }
  });

  it('is created once: another set-up changes nothing', () => {
    const folder = newFolder();
    const made = writeSecrets(folder);
    const before = contentOf(folder);
    expect(made).not.toEqual([]);
    expect(writeSecrets(folder)).toEqual([]);
    expect(contentOf(folder)).toEqual(before);
  });

  it('keeps what a person put there, also with a line break at the end', () => {
    const folder = newFolder();
    writeSecrets(folder);
    const file = join(folder, 'stripe-live-secret-key');
    writeFileSync(file, 'sk_live_mine\n');
    writeSecrets(folder);
    expect(readFileSync(file, 'utf8')).toBe('sk_live_mine\n');
  });

  it('gives services the hashes of its tokens', () => {
    const folder = newFolder();
    writeSecrets(folder);
    for (const name of readdirSync(folder)) if (/-hashes$|^console-/.test(name)) rmSync(join(folder, name));
    const token = contentOf(folder).get('admin-token') ?? '';
    writeSecrets(folder);
    const after = contentOf(folder);
    expect(after.get('admin-token')).toBe(token);
    const consoleToken = after.get('console-admin-token') ?? '';
    expect(after.get('billing-admin-token-hashes')).toBe(
      [hashEntry('staff', token, 'billing'), hashEntry('console', consoleToken, 'billing')].join(),
    );
  });

  it('replaces removed secrets, also in the set-up of the stores', () => {
    const folder = newFolder();
    writeSecrets(folder);
    const before = contentOf(folder);
    const replaced = ['gateway-rabbitmq-url', 'offers-database-url', 'pricing-mongo-url', 'valkey-url'];
    for (const name of replaced) rmSync(join(folder, name));
    expect(writeSecrets(folder).toSorted()).toEqual(replaced.toSorted());
    const after = contentOf(folder);
    const changed = [...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name);
    const stores = ['postgres-set-up.sql', 'mongo-set-up.js', 'rabbitmq-definitions.json', 'valkey.conf'];
    expect(changed.toSorted()).toEqual([...replaced, ...stores].toSorted());
    const passwordIn = (name: string) => new URL(after.get(name) ?? '').password;
    expect(after.get('rabbitmq-definitions.json')).toContain(passwordIn('gateway-rabbitmq-url'));
    expect(after.get('postgres-set-up.sql')).toContain(passwordIn('offers-database-url'));
    expect(after.get('mongo-set-up.js')).toContain(passwordIn('pricing-mongo-url'));
    expect(after.get('valkey.conf')).toContain(`requirepass ${passwordIn('valkey-url')}\n`);
  });
});

describe('the secrets', () => {
  it('are long, random and different', () => {
    const [once, again] = [inventFiles(), inventFiles()];
    for (const [name, value] of once) {
      if (name === 'smtp-url') continue;
      expect([name, again.get(name) === value]).toEqual([name, false]);
      expect([name, /[0-9a-f]{24,}|[A-Za-z0-9+/]{64,}/.test(value)]).toEqual([name, true]);
    }
    expect(new Set(once.values()).size).toBe(once.size);
  });

  it('are not the defaults of images, and are not in docker-compose.yml', () => {
    const values = [...inventFiles().values(), ...storeFiles(inventFiles()).values()].join('\n');
    expect(values).not.toMatch(/guest|changeme|:postgres@|:admin@/);
    expect(composeText).not.toMatch(
      /PASSWORD: |_PASS: |guest|:\/\/[^/\s]*:[^/\s$]*@|requirepass|sk_(test|live)_|whsec_/,
    );
  });

  it('are different for each user of a store', () => {
    const files = inventFiles();
    const urls = [...files].filter(([name]) => name.endsWith('-url') && name !== 'smtp-url');
    const passwords = urls.map(([, url]) => new URL(url).password);
    expect(new Set(passwords).size).toBe(urls.length);
    for (const [name, url] of urls) {
      const [, user] = /^(\w+)-(?:database|rabbitmq|mongo)-url$/.exec(name) ?? [];
      expect([name, new URL(url).username]).toEqual([name, user ?? '']);
    }
  });
});
