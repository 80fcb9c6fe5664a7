/** docs/operations/settings.md: every setting of every service in tables. */
import { type Setting, settingGroups } from './groups.ts';

const head = `# Settings

Generated from the services' config schemas by \`npm run generate\`. All settings are environment variables; an empty variable counts as not set. If settings are
missing or wrong, the service does not start: it prints all their names, never a value, and ends with status 78.

A **secret** may be given as a file instead: \`NAME_FILE\` is the path of a file that contains only the value. A line break at its end is ignored. If the value and the
file are both given, or if the file is missing or empty, the service does not start. Kubernetes passes secrets as variables from Secrets
([deploy/k8s/](../../deploy/k8s/README.md)), docker-compose.yml as files. [.env.example](../../.env.example) has the names of the settings in docker-compose.yml.`;

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
