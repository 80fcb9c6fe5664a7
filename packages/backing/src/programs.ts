/** Programs that some tests need besides the stores: an installed one, or else the package of Debian, which is installed once. */
import { installByApt } from './apt.ts';
import { firstFound, found, type Look, notFound } from './find.ts';
import { onPath } from './on-path.ts';

/** The path of the program. Undefined, and a reported line says why, when it is not installed and cannot be installed. */
export async function findProgram(o: {
  /** The first one that is installed is used. */
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
  const reasons = finding.skipped.map(({ name, why }) => `${name}: ${why}`);
  o.report(`no ${o.packageName}: ${reasons.join('; ')}`);
  return undefined;
}
