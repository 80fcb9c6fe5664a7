/** The portal API's calls about an organisation's money. The gateway passes them on to api. */
import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import * as api from '../internal/billing-api.ts';
import { reply } from '../public/reply-headers.ts';
import { idempotencyKey } from '../values/idempotency-key.ts';
import { csvFile, named, pathsOf, refused, section } from './operations.ts';

const modePath = z.object({ mode: z.enum(['test', 'live']) });
const badQuery = refused('A parameter is invalid; the message names it.');
const lowBalance = named('LowBalanceThreshold', api.lowBalanceReply);
const keyHeader = z.object({
  'Idempotency-Key': idempotencyKey.meta({
    description:
      'Chosen by the client, a different one for each top-up. A repetition adds nothing and returns the same answer.',
  }),
});

const unknownInvoice = {
  '404': refused('The organisation has no such invoice or credit note in this mode.'),
};
const document: ZodOpenApiResponseObject = {
  ...reply('The invoice or credit note, as a page or as a PDF.', null),
  content: {
    'text/html': { schema: z.string() },
    'application/pdf': { schema: z.string().meta({ format: 'binary' }) },
  },
};

const billing = section('Billing', 'Finance, Admin');

export const billingPaths = pathsOf({
  'GET /{mode}/balance': billing.read({
    id: 'readBalance',
    summary: 'The prepaid balance',
    description: 'Offers are paid from it, and Unused Time is credited to it. Net of VAT.',
    parameters: { path: modePath },
    replies: { '200': reply('The balance.', named('Balance', api.balanceReply)) },
  }),
  'GET /{mode}/billing/statement': billing.read({
    id: 'readStatement',
    summary: 'The bookings, newest first, each with the balance after it',
    description:
      'Card payments of offers are listed too; they do not change the balance. New bookings change neither the following pages nor the opening and closing balance of the period.',
    parameters: { path: modePath, query: api.statementPeriod },
    replies: {
      '200': reply('A page of the statement.', named('Statement', api.statementReply)),
      '400': badQuery,
    },
  }),
  'GET /{mode}/billing/statement.csv': billing.read({
    id: 'exportStatement',
    summary: 'The bookings as a CSV file',
    description: `Newest first, in UTF-8 with a byte order mark. At most ${api.MAX_CSV_ENTRIES.toLocaleString('en-GB')} bookings: choose a shorter period where there are more.`,
    parameters: { path: modePath, query: api.statementCsvPeriod },
    replies: {
      '200': csvFile('The bookings.'),
      '400': refused('A parameter is invalid, or there are too many bookings; the message says which.'),
    },
  }),
  'GET /{mode}/billing/low-balance-threshold': billing.read({
    id: 'readLowBalanceThreshold',
    summary: 'The balance below which admins get a mail',
    description: 'Null means that nobody gets such mails.',
    parameters: { path: modePath },
    replies: { '200': reply('The threshold, and how the balance stands to it.', lowBalance) },
  }),
  'PUT /{mode}/billing/low-balance-threshold': billing.change({
    id: 'setLowBalanceThreshold',
    summary: 'Set the threshold, or null for no mails',
    description:
      'A mail is sent when the balance falls below the threshold. The next one is sent only after the balance was at or above it again. Setting a threshold above the current balance sends no mail.',
    parameters: { path: modePath },
    body: api.lowBalanceRequest,
    replies: { '200': reply('The threshold, and how the balance stands to it.', lowBalance) },
  }),
  'POST /{mode}/billing/top-ups': billing.change({
    id: 'topUpByCard',
    summary: 'Open a payment page that tops the balance up',
    description:
      'The balance receives `amountMinor` when the page is paid. VAT is added to the payment where it is due.',
    parameters: { path: modePath, header: keyHeader },
    body: api.cardTopUpRequest,
    replies: {
      '200': reply('The payment page.', named('TopUp', api.cardTopUpReply)),
      '400': refused('The amount or the Idempotency-Key does not fit, or the currency is not billed.'),
      '409': refused('20 top-ups wait for their payment already.'),
      '422': refused('The Idempotency-Key stands for another amount.'),
    },
  }),
  'POST /test/billing/play-money': billing.change({
    id: 'addPlayMoney',
    summary: 'Add play money to the TEST balance',
    description:
      'Takes effect at once and needs no card. It is not a payment and has no invoice. Not available in LIVE mode.',
    parameters: { header: keyHeader },
    body: api.playMoneyRequest,
    replies: {
      '200': reply('The balance.', named('PlayMoney', api.playMoneyReply)),
      '400': refused('The amount or the Idempotency-Key does not fit, or the currency is not billed.'),
      '409': refused('The balance would exceed the maximum for play money.'),
      '422': refused('The Idempotency-Key stands for another amount.'),
    },
  }),
  'GET /{mode}/billing/invoices': billing.read({
    id: 'listInvoices',
    summary: 'Invoices of card payments and their credit notes, newest first',
    description:
      'Each card payment, of an offer or a top-up, has an invoice, and each refund of it a credit note. Charges to the balance are in the statement.',
    parameters: { path: modePath, query: api.invoicesQuery },
    replies: {
      '200': reply('A page of invoices and credit notes.', named('Invoices', api.invoicesReply)),
      '400': badQuery,
    },
  }),
  'GET /{mode}/billing/invoices/{file}': billing.read({
    id: 'readInvoice',
    summary: 'One invoice or credit note, `{number}.html` or `{number}.pdf`',
    description: 'As a page or as a PDF. Neither ever changes, except that a missing name is filled in.',
    parameters: { path: modePath.extend({ file: api.invoiceFile }) },
    replies: { '200': document, ...unknownInvoice },
  }),
});
