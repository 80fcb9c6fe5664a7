/** An invoice or a credit note as a PDF: A4, one page unless it has many lines, selectable text, embedded fonts, and always the same bytes for the same document. */
import { buffer } from 'node:stream/consumers';
import PdfDocument from 'pdfkit';
import type { InvoiceDocument, Party } from '../../domain/invoices/invoice-document.ts';
import type { Weight } from './fonts.ts';
import { linesOf, type Piece, visualPieces } from './pdf-text.ts';

type Pdf = InstanceType<typeof PdfDocument>;

const ink = '#1b2430';
const grey = '#5b6472';
const rule = '#d5dae1';
const green = '#0a6b35';
const red = '#a4262c';
const brand = { blue: '#2358e0', dot: '#ffc24b' };

const page = { left: 56, right: 539, top: 72, bottom: 790 };
const half = (page.right - page.left - 32) / 2;
/** The page has room for these, with every text at its maximum length: of one text, of a fact above the parties, and of one party. */
const MAX_LINES = 5;
const MAX_LINES_OF_FACT = 3;
const MAX_LINES_OF_PARTY = 18;
const TEXT_SIZE = 10.5;
const LINE_HEIGHT = 1.4;

type Style = {
  readonly font?: Weight;
  readonly size?: number;
  readonly color?: string;
  readonly width?: number;
  readonly align?: 'left' | 'right';
  readonly most?: number;
};

export async function invoicePdf(document: InvoiceDocument): Promise<Buffer> {
  const pdf = new PdfDocument({
    size: 'A4',
    margin: 0,
    lang: 'en-GB',
    displayTitle: true,
    // The invoice's day, because the current time would change the bytes.
    info: {
      Title: `${document.heading} ${document.number}`,
      Author: document.seller.lines[0] ?? '',
      CreationDate: document.issuedAt,
      ModDate: document.issuedAt,
    },
  });
  const bytes = buffer(pdf);
  draw(pdf, document);
  pdf.end();
  return bytes;
}

function draw(pdf: Pdf, document: InvoiceDocument): void {
  if (document.warning !== null) {
    watermark(pdf);
    pdf.on('pageAdded', () => watermark(pdf));
  }
  let y = header(pdf, document);
  y = facts(pdf, document, y + 22);
  const below = [
    party(pdf, document.seller, page.left, y + 22),
    party(pdf, document.buyer, page.left + half + 32, y + 22),
  ];
  y = table(pdf, document, Math.max(...below) + 28);
  y = document.lines.length > 1 ? withRoom(pdf, y + 22, 45) : y + 22;
  y = drawText(pdf, document.paid, page.left, y, { color: grey });
  if (document.note !== null) drawText(pdf, document.note, page.left, y + 6, { color: grey, size: 9 });
}

/** Drawn behind everything, so that no part of a test document can pass for an invoice. */
function watermark(pdf: Pdf): void {
  pdf.markContent('Artifact', { type: 'Pagination' });
  pdf.save().rotate(-45, { origin: [298, 421] });
  drawText(pdf, 'TEST', 98, 330, { font: 'bold', size: 150, color: '#f6e3e4', width: 500 });
  pdf.restore().endMarkedContent();
}

/** The wordmark, as in web/ui/brand.tsx: a square of 22 points with the mark, and the name. */
function wordmark(pdf: Pdf): void {
  pdf.markContent('Artifact', { type: 'Pagination' });
  pdf
    .save()
    .translate(page.left, 30)
    .scale(22 / 32);
  pdf.roundedRect(0, 0, 32, 32, 8).fill(brand.blue);
  pdf.circle(14.5, 17.5, 7.5).lineWidth(3.5).stroke('#ffffff');
  pdf.circle(22.5, 9.5, 4.5).lineWidth(2).fillAndStroke(brand.dot, brand.blue);
  pdf.restore();
  drawText(pdf, 'Offer Ads', page.left + 29, 34, { font: 'bold', size: 11 });
  pdf.endMarkedContent();
}

function header(pdf: Pdf, document: InvoiceDocument): number {
  wordmark(pdf);
  let y = drawText(pdf, document.heading, page.left, page.top, { font: 'bold', size: 22 });
  if (document.stamp !== null) {
    pdf
      .roundedRect(page.right - 76, page.top, 76, 28, 4)
      .lineWidth(1.5)
      .stroke(green);
    const style = { font: 'bold', size: 14, color: green, width: 60 } as const;
    drawText(pdf, document.stamp, page.right - 58, page.top + 5, style);
  }
  if (document.warning === null) return y;
  y += 6;
  pdf
    .roundedRect(page.left, y, page.right - page.left, 28, 4)
    .lineWidth(1.5)
    .stroke(red);
  drawText(pdf, document.warning, page.left + 10, y + 7, { font: 'bold', color: red });
  return y + 28;
}

function facts(pdf: Pdf, document: InvoiceDocument, y: number): number {
  const width = (page.right - page.left) / document.facts.length;
  const ends = document.facts.map(({ name, value }, column) => {
    const x = page.left + column * width;
    const next = drawText(pdf, name, x, y, { color: grey, size: 9, width });
    return drawText(pdf, value, x, next, { font: 'bold', width: width - 12, most: MAX_LINES_OF_FACT });
  });
  return Math.max(...ends);
}

function party(pdf: Pdf, { role, lines }: Party, x: number, top: number): number {
  let y = drawText(pdf, role, x, top, { color: grey, size: 9, width: half });
  const bottom = y + MAX_LINES_OF_PARTY * TEXT_SIZE * LINE_HEIGHT;
  for (const [index, line] of lines.entries()) {
    // Each later text keeps room for one line.
    const room = Math.round((bottom - y) / (TEXT_SIZE * LINE_HEIGHT)) - (lines.length - index - 1);
    const most = Math.max(1, Math.min(MAX_LINES, room));
    y = drawText(pdf, line, x, y, { font: index === 0 ? 'bold' : 'regular', width: half, most });
  }
  return y;
}

const amountWidth = 200;
const textWidth = page.right - page.left - amountWidth - 16;

function table(pdf: Pdf, { lines, totals }: InvoiceDocument, top: number): number {
  let y = row(pdf, 'Description', 'Amount', top, { color: grey, size: 9 });
  const most = lines.length === 1 ? MAX_LINES : 1;
  for (const { description, title, amount } of lines) {
    y = withRoom(pdf, y, 2 * TEXT_SIZE * LINE_HEIGHT);
    drawText(pdf, amount, page.right - amountWidth, y, { width: amountWidth, align: 'right' });
    y = drawText(pdf, description, page.left, y, { width: textWidth });
    if (title !== null) y = drawText(pdf, title, page.left, y, { width: textWidth, most });
    y = ruleBelow(pdf, y);
  }
  if (lines.length > 1) y = withRoom(pdf, y, totals.length * 32);
  for (const [index, { name, value }] of totals.entries()) {
    const isLast = index === totals.length - 1;
    y = row(pdf, name, value, y, isLast ? { font: 'bold', size: 12 } : {}, 'right');
  }
  return y;
}

/** The place for the next part: at `y`, or at the top of a new page. */
function withRoom(pdf: Pdf, y: number, height: number): number {
  if (y + height <= page.bottom) return y;
  pdf.addPage();
  return page.top;
}

function row(
  pdf: Pdf,
  name: string,
  value: string,
  y: number,
  style: Style,
  align: Style['align'] = 'left',
): number {
  const below = [
    drawText(pdf, name, page.left, y, { ...style, width: textWidth, align }),
    drawText(pdf, value, page.right - amountWidth, y, { ...style, width: amountWidth, align: 'right' }),
  ];
  return ruleBelow(pdf, Math.max(...below));
}

function ruleBelow(pdf: Pdf, y: number): number {
  pdf
    .moveTo(page.left, y + 6)
    .lineTo(page.right, y + 6)
    .lineWidth(0.75)
    .stroke(rule);
  return y + 14;
}

/** DejaVu's, in parts of the size: pieces in other fonts stand on the same baseline. */
const ASCENT = 0.928;
/** pdfkit would lay out word by word, and so keep the words of a right-to-left piece from left to right. */
const asOneRun: PDFKit.Mixins.TextOptions = { features: [], lineBreak: false, baseline: 'alphabetic' };

/** Draws a text and returns the y position below it. */
function drawText(pdf: Pdf, text: string, x: number, y: number, style: Style): number {
  const { font = 'regular', size = TEXT_SIZE, color = ink, width = page.right - x, align = 'left' } = style;
  pdf.fontSize(size).fillColor(color);
  // pdfkit accepts opened fonts, but its types do not say so. Without a name it would open the font again for each piece.
  const choose = (piece: Piece) =>
    pdf
      .registerFont(piece.font.postscriptName, piece.font as unknown as string)
      .font(piece.font.postscriptName);
  const widthOfPiece = (piece: Piece) => choose(piece).widthOfString(piece.text, asOneRun);
  const widthOf = (line: string) =>
    visualPieces(line, font).reduce((sum, piece) => sum + widthOfPiece(piece), 0);
  let below = y;
  for (const line of linesOf(text, { width, most: style.most ?? MAX_LINES, widthOf })) {
    let at = align === 'right' ? x + width - widthOf(line) : x;
    for (const piece of visualPieces(line, font)) {
      choose(piece).text(piece.text, at, below + size * ASCENT, asOneRun);
      at += widthOfPiece(piece);
    }
    below += size * LINE_HEIGHT;
  }
  return below;
}
