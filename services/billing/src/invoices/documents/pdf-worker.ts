/** What the thread of `pdf-maker.ts` runs. */
import { invoicePdf } from './invoice-pdf.ts';

export default invoicePdf;
