/** Makes PDFs in a worker thread, limited in number, time and memory, so that they never delay a payment. */
import { Worker } from 'node:worker_threads';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { InvoiceDocument } from '../../domain/invoices/invoice-document.ts';
import type { PdfDone, PdfJob } from './pdf-worker.ts';

export type PdfMaker = AsyncDisposable & {
  /** Throws a 503 if too many are requested at once, or if one takes too long. */
  readonly make: (document: InvoiceDocument) => Promise<Buffer>;
  /**
   * Starts the thread and makes a first document. The first one takes ten times as long as later ones; on a busy machine that is the whole
   * deadline of an invoice request. Memory is also reserved once, at the start.
   */
  readonly warmUp: () => Promise<void>;
};

/** About half a second of work; later requests get a 503 and can be repeated. */
const MAX_WAITING = 20;
/** A hundred times what one document takes, plus the thread's start. A slower document is refused, and its thread is ended. */
const LONGEST_MS = 5_000;
const MAX_MEMORY_MB = 192;
/** By default a thread's is as large as the whole heap. Larger ones make documents no faster. */
const MAX_YOUNG_GENERATION_MB = 8;

const defaults = { longestMs: LONGEST_MS, program: new URL('./pdf-worker.ts', import.meta.url) };

type Waiting = { readonly resolve: (pdf: Buffer) => void; readonly reject: (error: Error) => void };

/** A dummy document that is never shown. */
const firstDocument: InvoiceDocument = {
  number: '',
  heading: 'Invoice',
  stamp: 'PAID',
  warning: 'TEST',
  facts: [{ name: 'Date', value: '1 January 2026' }],
  seller: { role: 'From', lines: ['Seller'] },
  buyer: { role: 'To', lines: ['Buyer'] },
  line: { caption: '', description: 'Advertising', title: 'Two for one', amount: 'GBP 10.00' },
  totals: [{ name: 'Total', value: 'GBP 12.00' }],
  paid: 'Paid by card',
  note: null,
  issuedAt: new Date(0),
};

/** The thread starts with `warmUp` or with the first document. A new one starts after a failure. */
export function createPdfMaker(options: Partial<typeof defaults> = {}): PdfMaker {
  const { longestMs, program } = { ...defaults, ...options };
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let worker: Worker | undefined;

  function start(): Worker {
    const started = new Worker(program, {
      // The thread gets neither the secrets nor the flags of the service.
      env: {},
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_MEMORY_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      },
    });
    started.on('message', (done: PdfDone) => {
      const job = waiting.get(done.id);
      waiting.delete(done.id);
      if ('bytes' in done) job?.resolve(Buffer.from(done.bytes));
      else
        job?.reject(
          new Fault(`a PDF could not be made: ${done.failed}`, {
            status: 500,
            publicMessage: 'Internal server error',
          }),
        );
    });
    started.on('error', (error) => giveUp(started, serviceUnavailable('the PDF thread failed', error)));
    started.on('exit', () => giveUp(started, serviceUnavailable('the PDF thread ended')));
    return started;
  }

  /** Rejects everything that waits for this thread; the next document starts a new one. */
  function giveUp(failed: Worker, reason: Fault): void {
    if (worker !== failed) return;
    worker = undefined;
    void failed.terminate();
    for (const job of waiting.values()) job.reject(reason);
    waiting.clear();
  }

  async function make(document: InvoiceDocument): Promise<Buffer> {
    if (waiting.size >= MAX_WAITING) throw serviceUnavailable(`${waiting.size} PDFs wait already`);
    worker ??= start();
    const at = worker;
    const id = ++lastId;
    const tooLong = setTimeout(
      () => giveUp(at, serviceUnavailable(`PDF of ${document.number} took too long`)),
      longestMs,
    );
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        at.postMessage({ id, document } satisfies PdfJob);
      });
    } finally {
      clearTimeout(tooLong);
    }
  }

  return {
    make,
    warmUp: async () => {
      await make(firstDocument);
    },
    [Symbol.asyncDispose]: async () => {
      const last = worker;
      if (last === undefined) return;
      giveUp(last, serviceUnavailable('the service stops'));
      await last.terminate();
    },
  };
}
