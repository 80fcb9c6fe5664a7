/** Reads docker-compose.yml like Docker Compose. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { parse } from 'yaml';

export type ComposeService = {
  readonly image: string;
  readonly build?: { readonly target?: string; readonly args?: Readonly<Record<string, string>> };
  readonly profiles?: readonly string[];
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly tmpfs?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: string | readonly string[] };
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly mem_limit?: string;
  readonly user?: string;
};
export type ComposeFile = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<
    Record<string, { readonly internal?: boolean; readonly driver_opts?: Readonly<Record<string, string>> }>
  >;
  readonly volumes: Readonly<Record<string, object>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};

export const composeText = readFileSync(join(repository, 'docker-compose.yml'), 'utf8');

/** The file without substitution of `${NAME:-default}`. */
export const composeFile = readCompose(composeText);

export function readCompose(text: string): ComposeFile {
  // A high alias limit, because every service merges the common settings. The file is our own, so this is safe.
  return parse(text, { merge: true, maxAliasCount: 1_000 }) as ComposeFile;
}

export type Settings = Readonly<Record<string, string>>;

/** The file after substitution with these settings from the environment or .env. */
export function resolved(settings: Settings, file = composeFile): ComposeFile {
  return JSON.parse(JSON.stringify(file), (_, value: unknown) =>
    typeof value === 'string' ? interpolated(value, settings) : value,
  ) as ComposeFile;
}

export type Reference = {
  readonly name: string;
  /** `:-` default if missing or empty, `:+` replacement if set, `:?` error if missing or empty. */
  readonly kind: '-' | '+' | '?';
  readonly text: string;
};

/** Finds `${NAME:-text}`, where the text may contain another reference. Other forms are not supported. */
export function referencesIn(text: string): Reference[] {
  const found: Reference[] = [];
  for (let start = text.indexOf('${'); start !== -1; start = text.indexOf('${', start)) {
    const end = closing(text, start + 2);
    const [, name = '', kind = '', rest = ''] = /^(\w+):([-+?])(.*)$/s.exec(text.slice(start + 2, end)) ?? [];
    if (name === '') throw new Error(`${text.slice(start, end + 1)} is not \${NAME:-default}, :+ or :?`);
    found.push({ name, kind: kind as Reference['kind'], text: rest }, ...referencesIn(rest));
    start = end;
  }
  return found;
}

export function interpolated(text: string, settings: Settings): string {
  const start = text.indexOf('${');
  if (start === -1) return text.replaceAll('$$', '$');
  const end = closing(text, start + 2);
  const [reference] = referencesIn(text.slice(start, end + 1));
  const before = text.slice(0, start).replaceAll('$$', '$');
  return before + value(reference as Reference, settings) + interpolated(text.slice(end + 1), settings);
}

function value({ name, kind, text }: Reference, settings: Settings): string {
  const given = settings[name] ?? '';
  if (kind === '+') return given === '' ? '' : interpolated(text, settings);
  if (given !== '') return given;
  if (kind === '?') throw new Error(`${name} is required`);
  return interpolated(text, settings);
}

/** The closing bracket of the one that was opened before `from`. */
function closing(text: string, from: number): number {
  for (let at = from, open = 1; at < text.length; at += 1) {
    if (text[at] === '{') open += 1;
    if (text[at] === '}') open -= 1;
    if (open === 0) return at;
  }
  throw new Error(`a bracket is not closed in ${text}`);
}
