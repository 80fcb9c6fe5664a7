/** Finds the files of the repository that an image contains, from Dockerfile and .dockerignore, without Docker. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';

const linesOf = (file: string) => readFileSync(join(repository, file), 'utf8').split('\n');

/** The last pattern that matches a file or a folder above it decides. */
const patterns = linesOf('.dockerignore')
  .map((line) => line.trim())
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ takes: line.startsWith('!'), matches: expression(line.replace(/^!/, '')) }));

/** Converts Docker's `**` and `*` to a regular expression. */
function expression(glob: string): RegExp {
  const source = RegExp.escape(glob)
    .replaceAll(RegExp.escape('**/'), '(.*/)?')
    .replaceAll(RegExp.escape('*'), '[^/]*');
  return new RegExp(`^${source}$`);
}

export function isSent(path: string): boolean {
  const parts = path.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return patterns.reduce(
    (sent, { takes, matches }) => (paths.some((one) => matches.test(one)) ? takes : sent),
    true,
  );
}

/** Files and folders that a stage, or its parent stages, copies from the stage `sources`. */
function copied(stage: string, service: string): string[] {
  const dockerfile = linesOf('Dockerfile');
  const start = dockerfile.findIndex((line) => line.endsWith(` AS ${stage}`));
  if (start === -1) return [];
  const length = dockerfile.slice(start + 1).findIndex((line) => line.startsWith('FROM '));
  const lines = dockerfile.slice(start, length === -1 ? undefined : start + 1 + length);
  const parent = lines[0]?.split(' ')[1] ?? '';
  const own = lines.flatMap((line) => /^COPY --from=sources \/app\/(\S+) /.exec(line)?.[1] ?? []);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Docker's.
  return [...copied(parent, service), ...own.map((path) => path.replace('${SERVICE}', service))];
}

/** @param image a service, or `simulators` */
export function filesOf(image: string): string[] {
  const paths = copied(image === 'simulators' ? image : 'service', image);
  return paths
    .flatMap((path) => globSync([path, `${path}/**`], { cwd: repository, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/node_modules/'))
    .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
    .filter(isSent)
    .toSorted();
}
