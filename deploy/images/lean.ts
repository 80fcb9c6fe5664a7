/**
 * Run while an image is built: `node lean.ts node_modules [/common/node_modules]` deletes what no process ever reads,
 * and what a layer below holds already; what is left bears one time, so that building twice gives the same layer.
 */
import {
  type Dirent,
  existsSync,
  lutimesSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

/** For editors, debuggers and package managers. Licences stay. */
const unread = /\.(d\.[cm]?ts|[cm]?[jt]s\.map|css\.map|tsbuildinfo)$|^\.package-lock\.json$/;
/** As good as any; npm's own choice for the files of a package. */
const time = new Date('1985-10-26T08:15:00Z');

const [folder, below] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
rmSync(join(folder, '.bin'), { recursive: true, force: true });
makeLean(folder, below);

/** Whether anything is left. */
function makeLean(path: string, same: string | undefined): boolean {
  const left = readdirSync(path, { withFileTypes: true }).filter((entry) => {
    const [own, other] = [join(path, entry.name), same && join(same, entry.name)];
    if (entry.isDirectory()) return makeLean(own, other);
    if (!unread.test(entry.name) && !(other && isSame(entry, own, other))) {
      lutimesSync(own, time, time);
      return true;
    }
    rmSync(own);
    return false;
  });
  if (left.length === 0) rmdirSync(path);
  else lutimesSync(path, time, time);
  return left.length > 0;
}

function isSame(entry: Dirent, own: string, other: string): boolean {
  if (!existsSync(other)) return false;
  return entry.isSymbolicLink()
    ? readlinkSync(own) === readlinkSync(other)
    : readFileSync(own).equals(readFileSync(other));
}
