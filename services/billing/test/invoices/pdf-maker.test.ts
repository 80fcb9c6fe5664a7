import { afterEach, describe, expect, it } from '@jest/globals';
import { documentOf } from '../../src/domain/invoices/invoice-document.ts';
import { createPdfMaker, type PdfMaker } from '../../src/invoices/documents/pdf-maker.ts';
import { sampleInvoice } from './invoice-samples.ts';

const document = documentOf(sampleInvoice());
const program = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const never = program(
  `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});`,
);
const busyForEver = program(
  `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { for (;;); });`,
);
const dies = program(
  `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(1));`,
);

let maker: PdfMaker;
afterEach(async () => {
  await maker[Symbol.asyncDispose]();
});

describe('PDFs', () => {
  it('are made on a thread of their own, many at once, each for who asked for it', async () => {
    maker = createPdfMaker({ longestMs: 60_000 });
    const invoices = [1n, 2n, 3n, 1n].map((sequence) => documentOf(sampleInvoice({ sequence })));
    const pdfs = await Promise.all(invoices.map((invoice) => maker.make(invoice)));
    expect(pdfs.map((pdf) => pdf.subarray(0, 5).toString())).toEqual(Array(4).fill('%PDF-'));
    expect(pdfs[3]?.equals(pdfs[0] as Buffer)).toBe(true);
    expect(pdfs[1]?.equals(pdfs[0] as Buffer)).toBe(false);
  });

  it('are made on a thread that has set a document before anybody asks', async () => {
    maker = createPdfMaker({ longestMs: 60_000 });
    await expect(maker.warmUp()).resolves.toBeUndefined();
    await maker[Symbol.asyncDispose]();
    const counts = program(
      `import { parentPort } from 'node:worker_threads'; let jobs = 0;
       parentPort.on('message', ({ id }) => parentPort.postMessage({ id, bytes: Uint8Array.of(++jobs) }));`,
    );
    maker = createPdfMaker({ longestMs: 60_000, program: counts });
    await maker.warmUp();
    expect([...(await maker.make(document))]).toEqual([2]);
  });

  it('that take too long are given up with a 503, also when the thread no longer listens', async () => {
    for (const stuck of [never, busyForEver]) {
      maker = createPdfMaker({ longestMs: 100, program: stuck });
      await expect(maker.make(document)).rejects.toMatchObject({ status: 503 });
    }
  });

  it('whose thread dies are a 503, and the next has another thread', async () => {
    maker = createPdfMaker({ longestMs: 60_000, program: dies });
    await expect(maker.make(document)).rejects.toMatchObject({ status: 503 });
    await expect(maker.make(document)).rejects.toMatchObject({ status: 503 });
  });

  it('beyond what may wait are refused at once', async () => {
    maker = createPdfMaker({ longestMs: 60_000, program: never });
    const waiting = Array.from({ length: 20 }, () => maker.make(document).catch(() => 'given up'));
    await expect(maker.make(document)).rejects.toMatchObject({ status: 503 });
    await maker[Symbol.asyncDispose]();
    expect(await Promise.all(waiting)).toEqual(Array(20).fill('given up'));
  });
});
