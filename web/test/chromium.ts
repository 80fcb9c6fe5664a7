/** The browser of the walks: whichever is installed, or Debian's, which is then brought once. */
import { installByApt } from '@offer-ads/dev/backing/apt';
import { firstFound, found, type Look, notFound } from '@offer-ads/dev/backing/find';
import { onPath } from '@offer-ads/dev/backing/on-path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Its program; undefined, and a line that says why, where there is none and none can be brought. */
export async function findChromium(report: (line: string) => void): Promise<string | undefined> {
  const finding = await firstFound([
    { name: 'installed browser', look: installed },
    { name: 'apt-get', look: () => installByApt('chromium', { report, look: installed }) },
  ]);
  if (finding.found) return finding.value;
  report(`no browser: ${finding.passedOver.map(({ name, why }) => `${name}: ${why}`).join('; ')}`);
  return undefined;
}

async function installed(): Promise<Look<string>> {
  const path = names.map(onPath).find((it) => it !== undefined);
  return path === undefined ? notFound(`none of ${names.join(', ')} on PATH`) : found(path, path);
}
