/** Makes the package-lock.json for images, without development dependencies. It imports nothing, because image builds run it. */

export type LockedPackage = {
  readonly name?: string;
  readonly version?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
};
/** Packages by installation folder; our own are found by links in node_modules/@offer-ads. */
export type Lock = { readonly packages: Readonly<Record<string, LockedPackage>> };

/**
 * Removes the development dependencies of workspaces: npm would follow them into other workspaces, even with `--omit=dev`. Packages that
 * are not needed any more stay in the list but are not installed.
 */
export function lockOfImages(lock: Lock): Lock {
  const packages = Object.entries(lock.packages).map(([path, one]) => {
    const { devDependencies: _, dev: _dev, devOptional: _devOptional, ...kept } = one;
    return [path, kept];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}
