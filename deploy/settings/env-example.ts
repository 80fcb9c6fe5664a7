/** .env.example: every setting, and how docker-compose.yml is told of it. */
import { fileVariable } from '@offer-ads/platform/config/config';
import { composeFile, composeText, interpolated, referencesIn } from '../compose/file.ts';
import { type Setting, settingGroups, settingsIn } from './groups.ts';
import { composeSettings } from './of-compose.ts';
import type { Program } from './schemas.ts';

const head = `# Every setting of docker-compose.yml and of the services that it starts. Generated from their schemas: npm run generate
#
# \`npm run compose:set-up\` makes a .env that simulates everything outside; for your own copy this one. What has a # before it may be
# left out. Secrets are not written here: each is a file of its own in deploy/compose/secrets, made by the same command.`;

export function envExample(): string {
  const own = settingsIn(composeSettings).map((setting) => entry(setting, setting.name));
  const ofServices = settingGroups().map(({ title, settings }) => section(title, settings.map(ofService)));
  return `${[head, section('docker-compose.yml itself', own), ...ofServices].join('\n\n')}\n`;
}

function section(title: string, entries: readonly string[]): string {
  return [`# ---- ${title}`, ...entries].join('\n\n');
}

function ofService(setting: Setting): string {
  if (setting.secret) return ofSecret(setting);
  const variable = variableOf(setting.by[0] as Program, setting.name);
  if (variable !== undefined) return entry(setting, variable);
  const values = new Set(setting.by.map((program) => written(program, setting.name)));
  const value = [...values].map((text) => interpolated(text, {})).join(', ');
  return comment(`${setting.name}: ${setting.description} Set by docker-compose.yml: ${value}`);
}

/** The variable of .env whose value becomes the setting, or names the file that does, if there is one. */
export function variableOf(program: Program, name: string): string | undefined {
  const text = written(program, name);
  // An address that is put together of another setting is set there.
  return text.startsWith('${') && text.endsWith('}') ? referencesIn(text)[0]?.name : undefined;
}

function written(program: Program, name: string): string {
  return String(composeFile.services[program]?.environment?.[name] ?? '');
}

function entry(setting: Setting, variable: string): string {
  const { name, description, example, otherwise } = setting;
  const named = variable === name ? description : `${name} of ${setting.by.join(', ')}: ${description}`;
  const usual = defaultsOf(variable);
  if (usual === undefined)
    return `${comment(`${named} Required; for example ${quoted(example ?? '')}`)}\n${variable}=`;
  const without = usual || otherwise;
  return `${comment(`${named} Optional${without ? `; without it: ${without}` : '.'}`)}\n# ${variable}=${quoted(example ?? without ?? '')}`;
}

/** What docker-compose.yml takes instead; undefined where it insists on it. */
function defaultsOf(variable: string): string | undefined {
  const found = referencesIn(composeText).filter(({ name }) => name === variable);
  if (found.some(({ kind }) => kind === '?')) return undefined;
  return interpolated(found.find(({ kind }) => kind === '-')?.text ?? '', {}).replace(
    'deploy/compose/none',
    '',
  );
}

function ofSecret({ name, description, required, by }: Setting): string {
  const paths = by.map((program) => written(program, fileVariable(name)));
  const [brought] = referencesIn(paths[0] ?? '');
  if (brought === undefined) {
    const files = [...new Set(paths)].map((path) => path.replace('/run/secrets/', 'deploy/compose/secrets/'));
    return comment(`${name}: ${description} Secret${required ? ', required' : ''}: ${files.join(', ')}`);
  }
  const file = brought.text.replace('/run/secrets/', 'deploy/compose/secrets/');
  return `${comment(`${name}: ${description} Secret, optional: the file that you have it in.`)}\n# ${brought.name}=${file}`;
}

function quoted(value: string): string {
  return /[\s<>#]/.test(value) ? `"${value}"` : value;
}

/** In lines of at most 120 characters. */
function comment(text: string): string {
  let [line = '', ...rest] = text.split(' ');
  const lines: string[] = [];
  for (const word of rest) {
    if (line.length + word.length + 1 <= 118) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((one) => `# ${one}`).join('\n');
}
