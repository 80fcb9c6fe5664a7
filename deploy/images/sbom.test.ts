/** What is said to be in an image: what the lock file says that its service needs, told by another way than npm's. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { differences, withBase } from './contents.ts';
import { forProcessor, type Lock, lockOfImages } from './lock.ts';
import { type Bom, npmSbom, readLock, sbomOf } from './npm-sbom.ts';

const lock = readLock();
const kept = forProcessor(lockOfImages(lock), 'x64');

/** Node's own way to a package: in the folder itself, then in each above. */
function found(name: string, from: string, { packages }: Lock): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    const there = packages[path];
    if (there !== undefined) return there.link ? there.resolved : path;
    if (folder === '') return undefined;
  }
}

/** Every package that can be reached, as `name@version`. */
function needed(workspaces: readonly string[], of: Lock): string[] {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = of.packages[path]!;
    const must = Object.keys({ ...dependencies, ...peerDependencies }).filter(
      (name) => !optionalDependencies?.[name] && !peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of must) {
      const there = found(name, path, of);
      if (there === undefined) throw new Error(`${path} needs ${name}`);
      visit(there);
    }
    // npm installs an optional peer that something else needs, and lists it.
    const optionalPeers = Object.keys(peerDependencies ?? {}).filter(
      (name) => peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys(optionalDependencies ?? {}), ...optionalPeers]) {
      const there = found(name, path, of);
      if (there !== undefined) visit(there);
    }
  };
  for (const path of workspaces) visit(path);
  return [...reached].map((path) => {
    const { name, version } = of.packages[path]!;
    return `${name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
  });
}

let all: Bom;
// npm takes seconds, and many on a machine that is busy.
beforeAll(async () => {
  all = await npmSbom(lock, 'x64');
}, 300_000);

describe.each(serviceNames)('the bill of materials of %s', (service) => {
  it('lists exactly the packages of the lock file that it needs on Linux', () => {
    const { metadata, components } = sbomOf(service, all);
    const listed = [metadata.component, ...components].map(({ name, version }) => `${name}@${version}`);
    const wanted = new Set(needed([`services/${service}`, 'packages/admin'], kept));
    expect(listed.toSorted()).toEqual([...wanted].toSorted());
  });
});

describe('a bill of materials', () => {
  const contents = {
    node: '24.0.0',
    cpu: 'x64' as const,
    system: { name: 'debian', version: '12' },
    debian: [{ name: 'libstdc++6', version: '12.2.0-14+deb12u1', cpu: 'amd64' }],
    npm: [],
  };

  it('names every component once, and its dependencies name only components', () => {
    for (const service of serviceNames) {
      const { metadata, components, dependencies } = withBase(sbomOf(service, all), contents);
      const refs = [metadata.component, ...components].map((one) => one['bom-ref']);
      expect(new Set(refs).size).toBe(refs.length);
      expect(dependencies.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
      for (const { dependsOn } of dependencies) expect(refs).toEqual(expect.arrayContaining([...dependsOn]));
    }
  });

  it('has Node, the distribution and its packages under the names that scanners use', () => {
    const { components } = withBase(sbomOf('offers', all), contents);
    const purls = components.map(({ purl }) => purl);
    expect(purls).toContain('pkg:generic/node@24.0.0');
    expect(purls).toContain('pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12');
    expect(components.map(({ cpe }) => cpe)).toContain('cpe:2.3:a:nodejs:node.js:24.0.0:*:*:*:-:*:*:*');
  });

  it('is refused for an image with other packages', () => {
    const bom = sbomOf('offers', all);
    const [missing, ...others] = [bom.metadata.component, ...bom.components].map(
      ({ name, version }) => `${name}@${version}`,
    );
    expect(differences(bom, { ...contents, npm: [...others, 'left-pad@1.0.0'] })).toEqual([
      'left-pad@1.0.0 is in the image, and not in package-lock.json',
      `${missing} is not in the image`,
    ]);
  });
});
