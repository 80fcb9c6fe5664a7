/** Makes PDFs on a worker thread, limited in number, time and memory: one takes tens of milliseconds, and payments must not wait for it. */
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { Piscina } from 'piscina';
import type { InvoiceDocument } from '../../domain/invoices/invoice-document.ts';

export type PdfMaker = AsyncDisposable & {
  /** Throws a 503 if too many are requested at once, if one takes too long, or if the thread fails. */
  readonly make: (document: InvoiceDocument) => Promise<Buffer>;
};

/** About half a second of work; later requests get a 503 and can be repeated. */
const MAX_WAITING = 20;
/** A hundred times what one document takes. A slower document is refused, and its thread is replaced. */
const LONGEST_MS = 5_000;
/** The young generation is by default as large as the whole heap. A larger one makes documents no faster. */
const memory = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** @param longestMs may be set by a test */
export function createPdfMaker(longestMs = LONGEST_MS): PdfMaker {
  const pool = new Piscina<InvoiceDocument, Uint8Array>({
    filename: new URL('./invoice-pdf.ts', import.meta.url).href,
    name: 'invoicePdf',
    maxThreads: 1,
    resourceLimits: memory,
    // The thread gets neither the secrets nor the flags of the service.
    env: {},
    execArgv: [],
  });
  return {
    make: async (document) => {
      // piscina's own bound does not count tasks that have a signal.
      if (pool.queueSize >= MAX_WAITING) throw serviceUnavailable(`${pool.queueSize} PDFs wait already`);
      try {
        return Buffer.from(await pool.run(document, { signal: AbortSignal.timeout(longestMs) }));
      } catch (error) {
        throw serviceUnavailable(`the PDF of ${document.number} could not be made`, error);
      }
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
