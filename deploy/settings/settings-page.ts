/** docs/operations/settings.md: every setting of every service in tables. */
import { type Setting, settingGroups } from './groups.ts';

const head = `# Settings

Generated from the services' config schemas: \`npm run generate\`. All are environment variables; an empty one is not set. A start with a setting missing or wrong
names all of them at once, never a value, and ends with status 78.

A **secret** may be given as a file instead: \`NAME_FILE\` is its path, the file holds nothing but the value; a line break at its end is no part of it. Both at once,
or a file that is missing or empty, are refused. Kubernetes gives secrets as variables out of Secrets ([deploy/k8s/](../../deploy/k8s/README.md)),
docker-compose.yml as files; which other setting has which name there is in [.env.example](../../.env.example).`;

export function settingsPage(): string {
  const tables = settingGroups()
    .filter(({ settings }) => settings.length > 0)
    .map(({ title, settings }) => {
      const several = settings.some(({ by }) => by.length > 1) && title !== 'Every service';
      const columns = ['Setting', 'Without it', 'What it is', ...(several ? ['Read by'] : [])];
      const rows = settings.map((setting) => [
        `\`${setting.name}\`${setting.secret ? ', **secret**' : ''}`,
        without(setting),
        `${setting.description}${setting.example === undefined ? '' : ` Such as \`${setting.example}\`.`}`,
        ...(several ? [setting.by.map((name) => (name === 'admin' ? 'admin tool' : name)).join(', ')] : []),
      ]);
      return [`## ${title}`, '', row(columns), row(columns.map(() => '---')), ...rows.map(row)].join('\n');
    });
  return `${[head, ...tables].join('\n\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function without({ required, otherwise }: Setting): string {
  if (required) return 'no start';
  return otherwise === undefined || otherwise === '' ? 'not set' : otherwise;
}
