/**
 * What npm downloads is what was looked at: package-lock.json has a hash of it. An entry without one is removed there; then
 * `npm install --package-lock-only` asks the registry, and writes it anew.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { type Lock, type LockedPackage, lockOfImages } from './lock.ts';

const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;
const fits = (asked: readonly string[] | undefined, own: string) =>
  asked === undefined || asked.includes(own);
const isInstalledByCi = ({ os, cpu, libc }: LockedPackage) =>
  fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc');
/** Entries that npm would download without a check. Our own packages are links and folders and are not downloaded. */
const withoutHash = ({ packages }: Lock) =>
  Object.entries(packages).filter(
    ([path, one]) => path.includes('node_modules/') && one.link !== true && one.integrity === undefined,
  );
const names = (of: Lock) => withoutHash(of).map(([path]) => path);

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
    expect(others.map(([path]) => path)).toEqual([]);
  });

  it("takes packages only from the registry in npm's settings", () => {
    const elsewhere = Object.entries(lock.packages).filter(
      ([, { resolved, link }]) =>
        resolved !== undefined && link !== true && !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });
});
