/** The samples of the API reference run as they are shown: each sends the same request in every language, and the client understands the reply shown. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import document from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import { buildClient } from '@offer-ads/sdk-python/build';
import { installClient, pythonTools } from '@offer-ads/sdk-python/python-tools';
import { isPythonSkipped } from '../../packages/sdk-python/is-python-skipped.ts';
import { beforeSamples, samplesOf } from '../../web/docs/reference/call-samples.ts';
import { type Call, callsOf, contentOf, exampleOf, type OpenApi } from '../../web/docs/reference/openapi.ts';
import type { Language } from '../../web/docs/samples.ts';

const openapi = document as unknown as OpenApi;
const calls = callsOf(openapi.paths);
const run = promisify(execFile);
const apiKey = 'pk_test_ofTheSamples';

type Asked = { readonly call: string; readonly query: object; readonly body: object; readonly key: unknown };

/** Answers each operation by the example of its reply, and keeps what was asked. */
const asked: Asked[] = [];
const server = createServer((req, res) => void answer(req, res));
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://service');
  const called = calls.find((call) => call.method === req.method && patternOf(call).test(pathname));
  const type = req.headers['content-type'] ?? '';
  asked.push({
    call: `${req.method} ${pathname}`,
    query: Object.fromEntries(searchParams),
    body: await fieldsOf(type, Buffer.concat(chunks)),
    key: req.headers['x-api-key'],
  });
  const schema = contentOf(called?.responses['200'])?.schema;
  res.writeHead(schema === undefined ? 404 : 200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(schema === undefined ? {} : exampleOf(openapi, schema, 'reply')));
}

const patternOf = ({ path }: Call) => new RegExp(`^${path.replace(/\{\w+\}/g, '[\\w-]+')}$`);

async function fieldsOf(type: string, bytes: Buffer): Promise<object> {
  if (bytes.length === 0) return {};
  if (type.startsWith('application/json')) return JSON.parse(bytes.toString()) as object;
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => [name, form.getAll(name).map((each) => (each instanceof File ? each.size : each))]),
  );
}

let folder: string;
let baseUrl: string;
beforeAll(async () => {
  folder = mkdtempSync(join(import.meta.dirname, '../../.dev/samples-'));
  cpSync(
    join(import.meta.dirname, '../../docs/test-pictures/always-allowed.png'),
    join(folder, 'always-allowed.png'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const codeOf = (samples: ReturnType<typeof samplesOf>, of: Language) =>
  samples.find(({ language }) => language === of)!.code;
const ofThisService = (code: string) =>
  code.replaceAll('https://ads.example', baseUrl).replaceAll('pk_test_your_key', apiKey);

/** All samples of a language as one program. @returns what each asked, in the order of the description */
async function askedBy(
  language: Language,
  interpreter: string,
  args: (file: string) => string[],
): Promise<Asked[]> {
  asked.length = 0;
  const file = join(folder, `samples.${language}`);
  const before = ofThisService(codeOf(beforeSamples, language));
  const parts = calls.map((call, at) =>
    codeOf(samplesOf(openapi, call), language).replace('const reply', `const reply${at}`),
  );
  // Each is a program of its own, so more than one may import a name.
  const isImport = (line: string) => /^import \{.* from /.test(line);
  const lines = [before, ...parts].join('\n').split('\n');
  const program = lines.filter((line, at) => !isImport(line) || lines.indexOf(line) === at);
  writeFileSync(file, program.join('\n'));
  await run(interpreter, args(file), { cwd: folder, timeout: 90_000 });
  return [...asked];
}

/** Without what the clients send for callers: the mode of the key, and a default of Python's. Python writes UTC as an offset. */
const comparable = ({ query, body, ...rest }: Asked) => ({
  ...rest,
  query: { ...query, environment: undefined },
  body: {
    ...(JSON.parse(JSON.stringify(body).replaceAll('+00:00', 'Z')) as object),
    environment: undefined,
    include_delivered: undefined,
  },
});

let byCurl: Asked[];
beforeAll(async () => {
  byCurl = await askedBy('sh', 'bash', (file) => ['-e', file]);
});

describe('each sample of the API reference', () => {
  it('calls its operation by curl, with the key', () => {
    expect(byCurl.map(({ key }) => key)).toEqual(calls.map(() => apiKey));
    const called = calls.map((call, at) => {
      const [method, path = ''] = byCurl[at]?.call.split(' ') ?? [];
      return method === call.method && patternOf(call).test(path);
    });
    expect(called).toEqual(calls.map(() => true));
  });

  it('asks the same by the client for Node', async () => {
    const byNode = await askedBy('ts', process.execPath, (file) => [file]);
    expect(byNode.map(comparable)).toEqual(byCurl.map(comparable));
  });
});

(isPythonSkipped ? describe.skip : describe)('each sample of the API reference in Python', () => {
  it('asks the same by the client for Python', async () => {
    const tools = await pythonTools('tools');
    const { wheel } = await buildClient(tools, join(folder, 'built'));
    const python = await installClient(join(folder, 'python'), {
      python: tools.builder,
      wheel,
      wheels: tools.wheels,
    });
    const byPython = await askedBy('python', python, (file) => [file]);
    expect(byPython.map(comparable)).toEqual(byCurl.map(comparable));
  }, 600_000);
});
