/** Organisations and the terms that they accept. */
import {
  type OrganisationDetails,
  organisationsReply,
  termsVersion,
} from '@offer-ads/contracts/admin/gateway-api';
import { orderingRole } from '@offer-ads/contracts/portal/organisation-api';
import { country } from '@offer-ads/contracts/values/primitives';
import {
  type Command,
  command,
  count,
  currencyOption,
  email,
  id,
  modeOption,
  text,
  UsageError,
  yesOrNo,
} from '../../command.ts';
import { readText } from '../../files.ts';
import type { CallOptions, Tools } from '../../tools.ts';
import { spendingLimit } from './keys.ts';

/** What the platform team does to an organisation: `org ACTION ID`. */
const actions = {
  disable: 'Disable an organisation and all its keys',
  enable: 'Enable it again',
  approve: 'Approve an organisation: it may use LIVE mode, and its prices count real members',
} as const;

export const organisationCommands: readonly Command[] = [
  command({
    name: 'org create',
    summary: 'Register an advertiser organisation with its first admin',
    options: {
      name: text,
      'trading-name': text,
      country: country.describe('CODE'),
      currency: currencyOption,
      'admin-email': email,
    },
    run: ({ 'trading-name': tradingName, 'admin-email': adminEmail, ...same }, { call }) =>
      call('gateway', 'POST /admin/organisations', { json: { ...same, tradingName, adminEmail } }),
  }),
  command({
    name: 'org list',
    summary: 'List all organisations, or only those that wait for approval',
    options: { waiting: yesOrNo.optional() },
    run: async ({ waiting = false }, tools) => ({
      organisations: (
        await listAll(tools, waiting ? { approved: 'false', enabled: 'true' } : {})
      ).toReversed(),
    }),
  }),
  command({
    name: 'org show',
    summary: 'Show one organisation, and its test clock',
    options: { org: id },
    operand: 'org',
    run: async (o, { call }) => {
      const organisation = await call('gateway', `GET /admin/organisations/${o.org}`);
      // The organisation is worth showing without it.
      const testClock = await call('offers', `GET /admin/test-clocks/${o.org}`).catch(
        (error: Error) => error.message,
      );
      return { ...organisation, testClock };
    },
  }),
  ...Object.entries(actions).map(([action, summary]) =>
    command({
      name: `org ${action}`,
      summary,
      options: { org: id },
      operand: 'org',
      run: (o, { call }) => call('gateway', `POST /admin/organisations/${o.org}/${action}`),
    }),
  ),
  command({
    name: 'org withdraw-approval',
    summary: 'Withdraw the approval: nothing new in LIVE mode. The organisation reads the reason',
    options: { org: id, reason: text },
    operand: 'org',
    run: ({ org, reason }, { call }) =>
      call('gateway', `POST /admin/organisations/${org}/withdraw-approval`, { json: { reason } }),
  }),
  command({
    name: 'org quota',
    summary: 'Set the quota: how many offers may exist that are neither deleted nor ended',
    options: { org: id, mode: modeOption, 'per-org': count.optional(), 'per-person': count.optional() },
    operand: 'org',
    run: (o, { call }) =>
      call('gateway', `POST /admin/organisations/${o.org}/quota`, {
        json: { mode: o.mode, perOrganisation: o['per-org'], perPerson: o['per-person'] },
      }),
  }),
  command({
    name: 'org spending',
    summary:
      'Limit what each person of a role may order a day and a calendar month, in TEST and LIVE mode each',
    options: {
      org: id,
      role: orderingRole.describe(orderingRole.options.join('|')),
      'spend-per-day': spendingLimit,
      'spend-per-month': spendingLimit,
    },
    operand: 'org',
    run: (o, { call }) =>
      call('gateway', `POST /admin/organisations/${o.org}/spending-limits`, {
        json: {
          role: o.role,
          spendingPerDayMinor: o['spend-per-day'],
          spendingPerMonthMinor: o['spend-per-month'],
        },
      }),
  }),
  command({
    name: 'note list',
    summary: 'What staff noted about an organisation. It never sees these notes',
    options: { org: id },
    operand: 'org',
    run: ({ org }, { call }) => call('gateway', `GET /admin/organisations/${org}/notes`),
  }),
  command({
    name: 'note add',
    summary: 'Note something about an organisation, for other staff',
    options: { org: id, text },
    operand: 'org',
    run: ({ org, ...json }, { call }) =>
      call('gateway', `POST /admin/organisations/${org}/notes/add`, { json }),
  }),
  command({
    name: 'note delete',
    summary: 'Delete a note for ever',
    options: { org: id, note: id },
    operand: 'org',
    run: ({ org, note }, { call }) =>
      call('gateway', `POST /admin/organisations/${org}/notes/${note}/delete`),
  }),
  command({
    name: 'terms publish',
    summary:
      'Publish a version of the advertising terms, which every organisation must accept again: at once, or until --holds-from',
    options: {
      version: text,
      file: text.describe('FILE.md'),
      'holds-from': text.describe('TIME').optional(),
    },
    run: ({ version, file, 'holds-from': holdsFrom }, { call }) =>
      call('gateway', 'POST /admin/terms', { json: { version, text: readTerms(file), holdsFrom } }),
  }),
  command({
    name: 'terms accept',
    summary: 'Record that an organisation has accepted the current terms',
    options: { org: id },
    run: (o, { call }) => call('gateway', `POST /admin/organisations/${o.org}/accept-terms`),
  }),
];

/** Reads all pages, newest organisations first. */
async function listAll({ call }: Tools, filters: CallOptions['query']): Promise<OrganisationDetails[]> {
  const all: OrganisationDetails[] = [];
  for (let before: number | undefined; ; ) {
    const query = { limit: 1000, ...filters, before };
    const page = organisationsReply.parse(await call('gateway', 'GET /admin/organisations', { query }));
    all.push(...page.organisations);
    if (page.nextBefore === null) return all;
    before = page.nextBefore;
  }
}

/** Checked before anything is sent, so that the message names the wrong file. */
function readTerms(file: string): string {
  const checked = termsVersion.shape.text.safeParse(readText(file));
  if (checked.success) return checked.data;
  throw new UsageError(`${file} ${checked.error.issues[0]?.message}`);
}
