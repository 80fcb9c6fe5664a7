/** The third-party programs of the comparison, from PATH. */
import { findProgram } from '@offer-ads/backing/programs';
import { output } from '../../process.ts';

const names = ['nginx', 'caddy', 'wrk'] as const;
export type Programs = Readonly<Record<(typeof names)[number], string>>;

export class ProgramsMissing extends Error {
  override readonly name = 'ProgramsMissing';
}

export async function findPrograms(report: (line: string) => void): Promise<Programs> {
  const found: [string, string | undefined][] = [];
  for (const name of names)
    found.push([name, await findProgram({ names: [name], packageName: name, report })]);
  const missing = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (missing.length > 0) {
    throw new ProgramsMissing(
      `Not on PATH: ${missing.join(', ')}. On Debian and Ubuntu: apt-get install ${missing.join(' ')}. ` +
        'Stop the servers that those packages start by themselves: systemctl disable --now nginx caddy.',
    );
  }
  return Object.fromEntries(found) as Programs;
}

export async function versionsOf(programs: Programs): Promise<string> {
  const nginx = /nginx\/([\d.]+)/.exec(await output(programs.nginx, ['-v']))?.[1];
  const caddy = /[\d.]+/.exec(await output(programs.caddy, ['version']))?.[0];
  return `Node ${process.versions.node}, nginx ${nginx}, Caddy ${caddy}`;
}
