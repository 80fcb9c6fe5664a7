/** Makes PDFs outside the thread that handles payments, because one takes tens of milliseconds. */
import { parentPort } from 'node:worker_threads';
import type { InvoiceDocument } from '../../domain/invoices/invoice-document.ts';
import { invoicePdf } from './invoice-pdf.ts';

export type PdfJob = { readonly id: number; readonly document: InvoiceDocument };
export type PdfDone = { readonly id: number } & (
  | { readonly bytes: Uint8Array }
  | { readonly failed: string }
);

parentPort?.on('message', ({ id, document }: PdfJob) => {
  const reply = (done: PdfDone) => parentPort?.postMessage(done);
  invoicePdf(document).then(
    (bytes) => reply({ id, bytes }),
    (error: unknown) => reply({ id, failed: String(error) }),
  );
});
