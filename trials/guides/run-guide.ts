/** Runs every example of a guide against a running system, from top to bottom, and compares the replies with those of the guide. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { ownAddress } from '../harness/python-client.ts';
import { payAsAPersonWould } from '../harness/simulators.ts';
import { type Example, examplesOf, type Reply, type Script } from './examples.ts';
import { httpDifferences, jsonDifferences, textDifferences } from './reply-differences.ts';
import { type Outcome, type Shell, startShell } from './shell.ts';

export type Reader = {
  /** Inside the repository, so that scripts find the SDK. */
  readonly folder: string;
  /** The client IP. Each guide has its own, because each IP may make 60 requests a minute. */
  readonly clientIp: string;
  /** The values for `sh yours`. */
  readonly values: Readonly<Record<string, string>>;
  /** Commands of our packages: the file that node runs, by name. */
  readonly programs: Readonly<Record<string, string>>;
  /** What `npm run` starts, by name: files that node runs. */
  readonly scripts: Readonly<Record<string, string>>;
  /** What the programs and scripts need, beside the values that readers set. */
  readonly settings: Readonly<Record<string, string>>;
  /** The `python` that has the client; null: examples in Python are not run. */
  readonly python: string | null;
  /** Resolves once no offer of the reader awaits payment any more. */
  readonly paymentArrived: () => Promise<void>;
};

/** @returns the differences with their lines */
export async function runGuide(markdown: string, reader: Reader): Promise<string[]> {
  mkdirSync(reader.folder, { recursive: true });
  const environment = environmentOf(reader);
  const examples = examplesOf(markdown);
  await using shell = startShell(reader.folder, environment);
  const differences: string[] = [];
  let paymentUrl = '';
  for (const example of examples) {
    switch (example.kind) {
      case 'values':
        await giveValues(shell, example, reader);
        break;
      case 'person':
        await actAsPerson(example, paymentUrl, reader);
        break;
      case 'shell': {
        const { status, output, errors } = await runPatiently(shell, example.code);
        paymentUrl = /"payment_url":"([^"]+)"/.exec(output)?.[1] ?? paymentUrl;
        if (status !== 0) differences.push(`line ${example.line}: status ${status}\n${errors}${output}`);
        else differences.push(...compare(example.reply, output));
        break;
      }
      case 'script':
      // Compared with its file by examples.test.ts.
      case 'excerpt':
        break;
    }
  }
  const scripts = examples.filter((example) => example.kind === 'script');
  return [
    ...differences,
    ...(await runScripts(scripts, { ...typeScript, environment, folder: reader.folder })),
    ...(await runScripts(scripts, { ...python(reader), environment, folder: reader.folder })),
  ];
}

/** Repeats a command that was answered by 503, as the guides say: a busy machine may answer so. */
async function runPatiently(shell: Shell, code: string): Promise<Outcome> {
  return eventually(
    async () => {
      const outcome = await shell.run(code);
      if (outcome.output.includes(unavailable)) throw new Error(`503 again and again:\n${outcome.output}`);
      return outcome;
    },
    { timeoutMs: 60_000 },
  );
}
const unavailable = '"message":"Service unavailable"';

function environmentOf(reader: Reader): NodeJS.ProcessEnv {
  const { clientIp } = reader;
  writeFileSync(join(reader.folder, '.curlrc'), `header = "X-Forwarded-For: ${clientIp}"\n`);
  const preload = join(reader.folder, 'own-address.mjs');
  writeFileSync(
    preload,
    `const own = globalThis.fetch;
globalThis.fetch = (to, o = {}) => {
  const headers = new Headers(o.headers ?? (to instanceof Request ? to.headers : undefined));
  headers.set('X-Forwarded-For', '${clientIp}');
  return own(to, { ...o, headers });
};
`,
  );
  const programs = join(reader.folder, 'bin');
  mkdirSync(programs, { recursive: true });
  for (const [name, file] of Object.entries(reader.programs)) {
    writeFileSync(join(programs, name), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, {
      mode: 0o755,
    });
  }
  // Into the environment in which the guide's examples run.
  const pip = reader.python === null ? '' : `HOME='${homedir()}' exec '${reader.python}' -m pip "$@"\n`;
  writeFileSync(join(programs, 'pip'), `#!/bin/sh\n${pip}`, { mode: 0o755 });
  const scripts = Object.entries(reader.scripts).map(([name, file]) => [name, `node '${file}'`]);
  // Scripts of a guide are modules.
  const manifest = { private: true, type: 'module', scripts: Object.fromEntries(scripts) as object };
  writeFileSync(join(reader.folder, 'package.json'), JSON.stringify(manifest));
  const { PATH = '' } = process.env;
  return {
    PATH: `${programs}:${PATH}`,
    LC_ALL: 'C.UTF-8',
    HOME: reader.folder,
    CURL_HOME: reader.folder,
    NODE_OPTIONS: `--import=${preload}`,
    // Without the lines by which npm and pip say what they do.
    npm_config_loglevel: 'silent',
    npm_config_audit: 'false',
    PIP_QUIET: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    ...reader.settings,
    ...reader.values,
  };
}

async function giveValues(shell: Shell, { line, names }: Example & { kind: 'values' }, { values }: Reader) {
  const unknown = names.filter((name) => values[name] === undefined);
  if (unknown.length > 0) throw new Error(`line ${line}: there is no value for ${unknown.join(', ')}`);
  await shell.run(names.map((name) => `export ${name}='${values[name]}'`).join('\n'));
}

async function actAsPerson({ line, does }: Example & { kind: 'person' }, paymentUrl: string, reader: Reader) {
  if (does !== 'somebody pays the link') throw new Error(`line ${line}: the test cannot do "${does}"`);
  await payAsAPersonWould(paymentUrl);
  await reader.paymentArrived();
}

/** How the scripts of a language are run; `program` null: they are not. */
type Language = {
  readonly language: Script['language'];
  readonly program: string | null;
  readonly print: (text: string) => string;
  readonly settings: NodeJS.ProcessEnv;
};

const typeScript: Language = {
  language: 'ts',
  program: process.execPath,
  print: (text) => `console.log('${text}');`,
  settings: {},
};

function python(reader: Reader): Language {
  return {
    language: 'python',
    program: reader.python,
    print: (text) => `print('${text}')`,
    settings: { PYTHONPATH: ownAddress(reader.folder, reader.clientIp) },
  };
}

/** The scripts of a guide in one language are one module, so that each can use the imports of those before it. */
async function runScripts(
  all: readonly Script[],
  o: Language & { readonly folder: string; readonly environment: NodeJS.ProcessEnv },
): Promise<string[]> {
  const scripts = all.filter(({ language }) => language === o.language);
  if (scripts.length === 0 || o.program === null) return [];
  const file = join(o.folder, `guide.${o.language}`);
  const parts = scripts.map(({ code, line }) => `${o.print(`--- ${line}`)}\n${code}\n`);
  writeFileSync(file, parts.join('\n'));
  const { stdout } = await promisify(execFile)(o.program, [file], {
    cwd: o.folder,
    env: { ...o.environment, ...o.settings },
    timeout: 90_000,
  });
  const printed = stdout.split(/^--- \d+\n/m).slice(1);
  return scripts.flatMap(({ reply }, index) => compare(reply, printed[index] ?? ''));
}

function compare(reply: Reply | null, output: string): string[] {
  if (reply === null) return [];
  const differences = {
    json: () => jsonDifferences(JSON.parse(reply.text), JSON.parse(output)),
    http: () => httpDifferences(reply.text, output),
    text: () => textDifferences(reply.text, output),
  };
  try {
    return differences[reply.form]().map((difference) => `line ${reply.line}: ${difference}`);
  } catch (error) {
    return [`line ${reply.line}: ${String(error)}; the reply was:\n${output}`];
  }
}
