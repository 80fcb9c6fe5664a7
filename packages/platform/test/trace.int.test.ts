import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testNamespace } from '@offer-ads/testing/stores/broker';

type Span = { readonly name: string; readonly traceId: string; readonly links?: { traceId: string }[] };
type Export = { readonly resourceSpans?: { scopeSpans: { spans: Span[] }[] }[] };

/** Spans that all programs sent to the collector. */
const spans: Span[] = [];
const collector = createServer((req, res) => {
  void text(req).then((body) => {
    const { resourceSpans = [] } = JSON.parse(body) as Export;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans));
    return res.setHeader('content-type', 'application/json').end('{}');
  });
});
beforeAll(async () => {
  await once(collector.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  collector.close();
});

async function printedBy<T>(file: string): Promise<T> {
  const { url, namespace } = testNamespace();
  const program = fileURLToPath(new URL(file, import.meta.url));
  const args = ['--import', '@offer-ads/platform/telemetry/telemetry', program, url, namespace];
  const { port } = collector.address() as AddressInfo;
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...telemetry },
  });
  return JSON.parse(stdout) as T;
}

describe('a trace', () => {
  it('continues from the cause of an event to its handler, and through a retry', async () => {
    const { cause, handled } = await printedBy<{ cause: string; handled: string[] }>('traced-event.ts');
    expect(cause).toMatch(/[1-9a-f]/);
    expect(handled).toEqual([cause, cause]);
  });

  it('of a batch is a new one with links to the causes; an event that is handled alone, or in a batch of one, continues the trace of its cause', async () => {
    type Traces = { causes: string[]; together: string; alone: string[] };
    const { causes, together, alone } = await printedBy<Traces>('traced-batch.ts');
    expect(new Set([...causes, together]).size).toBe(4);
    expect(alone).toEqual(causes);
    const batch = spans.find(({ traceId, name }) => traceId === together && name === 'billing batch');
    expect(batch?.links?.map(({ traceId }) => traceId).toSorted()).toEqual(causes.slice(0, 2).toSorted());
  });
});
