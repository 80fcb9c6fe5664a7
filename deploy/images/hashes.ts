/** The hashes of package-lock.json, with which npm checks downloads. */
import type { Lock, LockedPackage } from './lock.ts';

type Entry = readonly [path: string, one: LockedPackage];

/** Entries that npm would download without a check. Our own packages are links and folders and are not downloaded. */
export function withoutHash(lock: Lock): Entry[] {
  return Object.entries(lock.packages).filter(
    ([path, one]) => path.includes('node_modules/') && one.link !== true && one.integrity === undefined,
  );
}

/** `name@version` for the registry. */
export function nameOf([path, { name, version }]: Entry): string {
  return `${name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
}

/** @param hashOf undefined when the registry does not have the package */
export function withHashes(lock: Lock, hashOf: (nameAndVersion: string) => string | undefined): Lock {
  const missing = new Map(withoutHash(lock));
  const packages = Object.entries(lock.packages).map(([path, one]): Entry => {
    const integrity = missing.has(path) ? hashOf(nameOf([path, one])) : undefined;
    if (integrity === undefined) return [path, one];
    // npm writes it right after the version.
    const { name, version, ...rest } = one;
    return [path, { ...(name && { name }), ...(version && { version }), integrity, ...rest }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}
