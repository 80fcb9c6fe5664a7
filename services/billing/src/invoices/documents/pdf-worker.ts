/** Makes PDFs outside the thread that handles payments, because one takes tens of milliseconds. */
import { parentPort } from 'node:worker_threads';
import { collectGarbage } from '@offer-ads/platform/process/garbage';
import type { InvoiceDocument } from '../../domain/invoices/invoice-document.ts';
import { invoicePdf } from './invoice-pdf.ts';

export type PdfJob = { readonly id: number; readonly document: InvoiceDocument };
export type PdfDone = { readonly id: number } & (
  | { readonly bytes: Uint8Array }
  | { readonly failed: string }
);

/** Whether the first document is made, which loads all that documents need. */
let isWarm = false;

parentPort?.on('message', ({ id, document }: PdfJob) => {
  const reply = (done: PdfDone) => {
    parentPort?.postMessage(done);
    if (!isWarm) setImmediate(collectGarbage, { type: 'major' });
    isWarm = true;
  };
  invoicePdf(document).then(
    (bytes) => reply({ id, bytes }),
    (error: unknown) => reply({ id, failed: String(error) }),
  );
});
