/** What npm downloads is what was looked at: package-lock.json has a hash of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { nameOf, withHashes, withoutHash } from './hashes.ts';
import { type Lock, type LockedPackage, lockOfImages } from './lock.ts';

const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;
const fits = (asked: readonly string[] | undefined, own: string) =>
  asked === undefined || asked.includes(own);
const isInstalledByCi = ({ os, cpu, libc }: LockedPackage) =>
  fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc');
const names = (of: Lock) => withoutHash(of).map(nameOf);

describe('package-lock.json', () => {
  it('has the hash of every package that an image may hold', () => {
    const { packages } = lock;
    const shipped = Object.entries(packages).filter(([, one]) => one.dev !== true);
    expect(shipped.length).toBeGreaterThan(200);
    expect(names({ packages: Object.fromEntries(shipped) })).toEqual([]);
    // Nothing that is built for images is lost with what only development needs.
    expect(Object.keys(lockOfImages(lock).packages)).toEqual(Object.keys(packages));
  });

  it('has the hash of every package that a Linux machine with glibc and an x64 processor installs, as CI does', () => {
    const installed = Object.entries(lock.packages).filter(([, one]) => isInstalledByCi(one));
    expect(installed.length).toBeGreaterThan(1_000);
    expect(names({ packages: Object.fromEntries(installed) })).toEqual([]);
  });

  it('lacks only hashes of optional development tools for other systems', () => {
    const others = withoutHash(lock).filter(
      ([, { dev, optional, os }]) => !(dev === true && optional === true && os !== undefined),
    );
    expect(others.map(nameOf)).toEqual([]);
  });

  it("takes packages only from the registry in npm's settings", () => {
    const elsewhere = Object.entries(lock.packages).filter(
      ([, { resolved, link }]) =>
        resolved !== undefined && link !== true && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });
});

describe('filling in hashes', () => {
  const given: Lock = {
    packages: {
      '': {},
      'node_modules/@a/b': { version: '1.0.0', dev: true },
      'node_modules/a/node_modules/c': { version: '2.0.0', integrity: 'sha512-old' },
      'node_modules/@offer-ads/web': { link: true, resolved: 'web' },
      web: { version: '1.0.0' },
    },
  };

  it('looks up missing hashes and writes them as npm does', () => {
    const asked: string[] = [];
    const filled = withHashes(given, (name) => {
      asked.push(name);
      return 'sha512-new';
    });
    expect(asked).toEqual(['@a/b@1.0.0']);
    expect(JSON.stringify(filled.packages['node_modules/@a/b'])).toBe(
      '{"version":"1.0.0","integrity":"sha512-new","dev":true}',
    );
    expect(withoutHash(filled)).toEqual([]);
  });

  it('leaves packages that the registry does not have', () => {
    expect(withHashes(given, () => undefined)).toEqual(given);
  });
});
