/** Programs that some tests need beside the stores: whichever is installed, or Debian's, which is then brought once. */
import { installByApt } from './apt.ts';
import { firstFound, found, type Look, notFound } from './find.ts';
import { onPath } from './on-path.ts';

/** Its file; undefined, and a line that says why, where there is none and none can be brought. */
export async function findProgram(o: {
  /** Any of them will do. */
  names: readonly string[];
  packageName: string;
  report: (line: string) => void;
}): Promise<string | undefined> {
  const installed = async (): Promise<Look<string>> => {
    const path = o.names.map(onPath).find((it) => it !== undefined);
    return path === undefined ? notFound(`no ${o.names.join(', ')} on PATH`) : found(path, path);
  };
  const finding = await firstFound([
    { name: 'installed', look: installed },
    {
      name: 'apt-get',
      look: () => installByApt(o.packageName, { report: o.report, look: installed }),
    },
  ]);
  if (finding.found) return finding.value;
  const reasons = finding.passedOver.map(({ name, why }) => `${name}: ${why}`);
  o.report(`no ${o.packageName}: ${reasons.join('; ')}`);
  return undefined;
}
