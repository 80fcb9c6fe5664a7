/** Runs every example of a guide against a running system, from top to bottom, and compares what comes with what it shows. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { payAsAPersonWould } from '../harness/simulators.ts';
import { type Example, examplesOf, type Reply } from './examples.ts';
import { httpDifferences, jsonDifferences, textDifferences } from './reply-differences.ts';
import { type Outcome, type Shell, startShell } from './shell.ts';

export type Reader = {
  /** A folder of the reader's own, inside the repository: scripts find the SDK from there. */
  readonly folder: string;
  /** It calls from there. Each guide has its own, so that none uses up the 60 requests a minute of another. */
  readonly address: string;
  /** What stands for the values of `sh yours`. */
  readonly values: Readonly<Record<string, string>>;
  /** Commands that our packages bring, by name: the files that node runs for them. */
  readonly programs: Readonly<Record<string, string>>;
  /** Resolves once no offer of the reader awaits payment any more. */
  readonly paymentArrived: () => Promise<void>;
};

/** @returns what was not as shown, each with its line; nothing when all was */
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
        break;
    }
  }
  return [...differences, ...(await runScripts(examples, reader.folder, environment))];
}

/** As the guides say: what was answered by 503, which a busy machine may give, is sent again. */
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
  const { address } = reader;
  writeFileSync(join(reader.folder, '.curlrc'), `header = "X-Forwarded-For: ${address}"\n`);
  const preload = join(reader.folder, 'own-address.mjs');
  writeFileSync(
    preload,
    `const own = globalThis.fetch;
globalThis.fetch = (to, o = {}) => {
  const headers = new Headers(o.headers ?? (to instanceof Request ? to.headers : undefined));
  headers.set('X-Forwarded-For', '${address}');
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
  const { PATH = '' } = process.env;
  return {
    PATH: `${programs}:${PATH}`,
    LC_ALL: 'C.UTF-8',
    HOME: reader.folder,
    CURL_HOME: reader.folder,
    NODE_OPTIONS: `--import=${preload}`,
    ...reader.values,
  };
}

async function giveValues(shell: Shell, { line, names }: Example & { kind: 'values' }, { values }: Reader) {
  const unknown = names.filter((name) => values[name] === undefined);
  if (unknown.length > 0) throw new Error(`line ${line}: nobody knows ${unknown.join(', ')} here`);
  await shell.run(names.map((name) => `export ${name}='${values[name]}'`).join('\n'));
}

async function actAsPerson({ line, does }: Example & { kind: 'person' }, paymentUrl: string, reader: Reader) {
  if (does !== 'somebody pays the link') throw new Error(`line ${line}: nobody knows how "${does}" is done`);
  await payAsAPersonWould(paymentUrl);
  await reader.paymentArrived();
}

/** The scripts of a guide are one module: what one has imported, the next uses. */
async function runScripts(
  examples: readonly Example[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string[]> {
  const scripts = examples.filter((example) => example.kind === 'script');
  if (scripts.length === 0) return [];
  const file = join(folder, 'guide.ts');
  const mark = (line: number) => `--- ${line}`;
  writeFileSync(file, scripts.map(({ code, line }) => `console.log('${mark(line)}');\n${code}\n`).join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    cwd: folder,
    env: environment,
    timeout: 90_000,
  });
  const parts = stdout.split(/^--- \d+\n/m).slice(1);
  return scripts.flatMap(({ reply }, index) => compare(reply, parts[index] ?? ''));
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
    return [`line ${reply.line}: ${String(error)}; this came:\n${output}`];
  }
}
