/** Runs inside an image and prints its contents as JSON. It may import only Node modules. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = '/var/lib/dpkg';
/** One file for all packages, or, in images without dpkg, one file per package. */
const files = [
  join(packages, 'status'),
  ...(existsSync(`${packages}/status.d`) ? readdirSync(`${packages}/status.d`) : []).map((name) =>
    join(packages, 'status.d', name),
  ),
];

console.log(
  JSON.stringify({
    node: process.version.slice(1),
    cpu: process.arch,
    system: existsSync('/etc/os-release') ? osRelease() : undefined,
    debian: files
      .filter((file) => existsSync(file) && !file.endsWith('.md5sums'))
      .flatMap((file) => readFileSync(file, 'utf8').split(/\n\n+/))
      .flatMap(installed),
    // Our own packages are links in node_modules, which a glob does not follow.
    npm: globSync([
      '/app/**/node_modules/{*,@*/*}/package.json',
      '/app/{packages,services}/*/package.json',
    ]).flatMap(npmPackage),
  }),
);

function osRelease() {
  const fields = [...readFileSync('/etc/os-release', 'utf8').matchAll(/^(\w+)="?([^"\n]*)"?$/gm)].map(
    ([, name, value]) => [name, value],
  );
  const { ID, VERSION_ID } = Object.fromEntries(fields) as Record<string, string>;
  return { name: ID, version: VERSION_ID };
}

function installed(paragraph: string) {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1];
  const [name, version, cpu] = [field('Package'), field('Version'), field('Architecture')];
  // Removed packages may leave their configuration.
  const isThere = field('Status')?.endsWith(' installed') ?? true;
  return name && version && isThere ? [{ name, version, cpu }] : [];
}

function npmPackage(file: string): string[] {
  const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
  return name && version ? [`${name}@${version}`] : [];
}
