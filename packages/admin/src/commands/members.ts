/** Commands for members and exchange rates, which pricing stores. */
import { accessSync, constants } from 'node:fs';
import { membersCheckReply } from '@offer-ads/contracts/admin/pricing-api';
import { type Command, command, date, text, UsageError, yesOrNo } from '../command.ts';

export const memberCommands: readonly Command[] = [
  command({
    name: 'member import',
    summary: 'Insert or replace members from a file with one JSON object a line',
    options: { file: text.describe('FILE.ndjson') },
    operand: 'file',
    run: async (o, { call }) => {
      requireReadable(o.file);
      return call('pricing', 'POST /admin/members/import', { file: o.file, patient: true });
    },
  }),
  command({
    name: 'member check',
    summary:
      'Read all stored members again and compare the counts; fails if they differ; --repair yes counts those that were read',
    options: { repair: yesOrNo.optional() },
    failed: (result) => 'ok' in result && result.ok === false,
    run: async (json, { call }) =>
      membersCheckReply.parse(await call('pricing', 'POST /admin/members/check', { json, patient: true })),
  }),
  command({
    name: 'rates refresh',
    summary:
      "Fetch the day's exchange rates now; DATE is the fixing in which a currency is allowed to move by over 20 %",
    options: { 'accept-jump': date.optional() },
    run: (o, { call }) =>
      call('pricing', 'POST /admin/rates/refresh', { json: { acceptJump: o['accept-jump'] } }),
  }),
];

/** Checked before anything is sent, so that the message names the wrong file. */
function requireReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new UsageError(`cannot read ${file}`);
  }
}
