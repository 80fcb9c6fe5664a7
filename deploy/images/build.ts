/** `npm run images`: builds the images of all services and of the simulators, checks the results, and with `--push` publishes them. */
import { parseArgs } from 'node:util';
import { reasonOf } from '@offer-ads/backing/find';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { ask, docker } from './docker.ts';

/** The largest allowed size, unpacked, as Docker shows it. Only moderation contains a model and its runtime. */
const maxMegabytes = (image: string) => (image === 'moderation' ? 400 : 300);

const usage = `npm run images -- [options] [-- options of docker build]
  --tag 1.2.0                               (dev)
  --prefix registry.example/offer-ads       (offer-ads)
  --node-image node:24-bookworm-slim        builds the images and gives them its Node
  --python-image python:3.13-slim-bookworm  packs the Python client; by default the node image, where one is given
  --runtime-image debian:bookworm-slim      what they stand on
  --push                                    publishes them when all are built and checked; \`docker login\` first
For example: npm run images -- --tag 1.2.0 --prefix registry.example/offer-ads --push`;

const { values, positionals } = readCommandLine(usage, (args) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      tag: { type: 'string', default: 'dev' },
      prefix: { type: 'string', default: 'offer-ads' },
      'node-image': { type: 'string' },
      'python-image': { type: 'string' },
      'runtime-image': { type: 'string' },
      push: { type: 'boolean', default: false },
    },
  }),
);

/** As in docker-compose.yml; the Dockerfile gives the reasons. */
const nodeFlags: Partial<Record<string, string>> = { moderation: '--max-semi-space-size=4' };

try {
  build();
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}

function build(): void {
  process.chdir(repository);
  const images = [...serviceNames, 'simulators'];
  const nameOf = (image: string) => `${values.prefix}/${image}:${values.tag}`;
  const all = [...bases(), ...commit(), ...positionals];
  for (const image of images) {
    const which =
      image === 'simulators'
        ? ['--target', image]
        : ['--build-arg', `SERVICE=${image}`, '--build-arg', `NODE_FLAGS=${nodeFlags[image] ?? ''}`];
    console.log(`\n${nameOf(image)}`);
    docker('build', ...all, ...which, '--tag', nameOf(image), '.');
  }
  // With these options the image is not on this machine, so it cannot be checked.
  const isElsewhere = positionals.some((argument) => /^--(push|output|platform)/.test(argument));
  if (!isElsewhere && !fit(images.map((image) => [image, nameOf(image)]))) process.exitCode = 1;
  else if (values.push) for (const image of images) docker('push', nameOf(image));
}

function bases(): string[] {
  const given = {
    NODE_IMAGE: values['node-image'],
    PYTHON_IMAGE: values['python-image'] ?? values['node-image'],
    RUNTIME_IMAGE: values['runtime-image'],
  };
  return Object.entries(given).flatMap(([name, value]) => (value ? ['--build-arg', `${name}=${value}`] : []));
}

/** Labels and file times from the last commit. A tree with uncommitted changes is marked as such. */
function commit(): string[] {
  const [revision = '', seconds = '', created = ''] = ask('git', 'log', '-1', '--format=%H %ct %cI').split(
    ' ',
  );
  const changed = ask('git', 'status', '--porcelain', '--untracked-files=no') !== '';
  const given = {
    VERSION: values.tag,
    REVISION: changed ? `${revision}-changed` : revision,
    CREATED: created,
    SOURCE_DATE_EPOCH: seconds,
  };
  return Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

/** Prints the sizes. */
function fit(images: readonly (readonly [string, string])[]): boolean {
  console.log('\nMB');
  let fits = true;
  for (const [image, name] of images) {
    const bytes = Number(ask('docker', 'image', 'inspect', '--format', '{{.Size}}', name));
    const megabytes = Math.ceil(bytes / 1e6);
    console.log(`${`${megabytes}`.padStart(4)}  ${name}`);
    if (megabytes <= maxMegabytes(image)) continue;
    console.error(`      That is more than the limit of ${maxMegabytes(image)} MB.`);
    fits = false;
  }
  return fits;
}
