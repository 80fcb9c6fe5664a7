/**
 * Runs during an image build: `node shrink-modules.ts node_modules [/common/node_modules]` deletes files that no process reads, and
 * files that a lower layer contains already. The other files get a fixed time, so that two builds give the same layer.
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

/** Files for editors, debuggers and package managers. Licences stay. */
const unread = /\.(d\.[cm]?ts|[cm]?[jt]s\.map|css\.map|tsbuildinfo)$|^\.package-lock\.json$/;
/** Files of ONNX Runtime for other platforms. Weights and cuts of fonts that invoices do not use: 75 of 90 MB. */
const foreign = [
  /@embedpdf\/fonts-\w+\/fonts\/(?!NotoSans(Hans|KR)-Regular\.otf$)/,
  /@expo-google-fonts\/[\w-]+\/\d+\w+\/(?!\w+_400Regular\.ttf$)/,
  /dejavu-fonts-ttf\/ttf\/(?!DejaVuSansCondensed(-Bold)?\.ttf$)/,
  new RegExp(`onnxruntime-node/bin/napi-v6/(?!${process.platform}/${process.arch}/)`),
];
/** Any fixed time would do; npm uses this one for the files of a package. */
const time = new Date('1985-10-26T08:15:00Z');

const [folder, below] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
rmSync(join(folder, '.bin'), { recursive: true, force: true });
shrink(folder, below);

/** Returns whether files are left. */
function shrink(path: string, same: string | undefined): boolean {
  const left = readdirSync(path, { withFileTypes: true }).filter((entry) => {
    const [own, other] = [join(path, entry.name), same && join(same, entry.name)];
    if (entry.isDirectory()) return shrink(own, other);
    const isNeeded = !unread.test(entry.name) && !foreign.some((files) => files.test(own));
    if (isNeeded && !(other && isSame(entry, own, other))) {
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
