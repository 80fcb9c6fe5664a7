/** Organisations and the terms that they accept. */
import { readFileSync } from 'node:fs';
import {
  type OrganisationDetails,
  organisationsReply,
  termsVersion,
} from '@offer-ads/contracts/admin/gateway-api';
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
import type { Tools } from '../../tools.ts';

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
    run: (o, { call }) => {
      const { 'trading-name': tradingName, 'admin-email': adminEmail, ...same } = o;
      const json = { ...same, tradingName, adminEmail };
      return call('gateway', { method: 'POST', path: '/admin/organisations', json });
    },
  }),
  command({
    name: 'org list',
    summary: 'List all organisations, or only those that wait for approval',
    options: { waiting: yesOrNo.optional() },
    run: async ({ waiting }, tools) => ({
      organisations: (
        await listAll(tools, waiting === true ? '&approved=false&enabled=true' : '')
      ).toReversed(),
    }),
  }),
  command({
    name: 'org show',
    summary: 'Show one organisation',
    options: { org: id },
    run: (o, { call }) => call('gateway', { method: 'GET', path: `/admin/organisations/${o.org}` }),
  }),
  ...(['disable', 'enable'] as const).map((action) =>
    command({
      name: `org ${action}`,
      summary: action === 'disable' ? 'Disable an organisation and all its keys' : 'Enable it again',
      options: { org: id },
      run: (o, { call }) =>
        call('gateway', { method: 'POST', path: `/admin/organisations/${o.org}/${action}` }),
    }),
  ),
  command({
    name: 'org approve',
    summary: 'Approve an organisation: it may use LIVE mode, and its prices count real members',
    options: { org: id },
    run: (o, { call }) => call('gateway', { method: 'POST', path: `/admin/organisations/${o.org}/approve` }),
  }),
  command({
    name: 'org withdraw-approval',
    summary: 'Withdraw the approval: no LIVE mode, and prices count made-up members',
    options: { org: id },
    run: (o, { call }) =>
      call('gateway', { method: 'POST', path: `/admin/organisations/${o.org}/withdraw-approval` }),
  }),
  command({
    name: 'org quota',
    summary: 'Set the quota: how many offers may exist that are neither deleted nor ended',
    options: { org: id, mode: modeOption, 'per-org': count.optional(), 'per-person': count.optional() },
    run: (o, { call }) =>
      call('gateway', {
        method: 'POST',
        path: `/admin/organisations/${o.org}/quota`,
        json: { mode: o.mode, perOrganisation: o['per-org'], perPerson: o['per-person'] },
      }),
  }),
  command({
    name: 'terms publish',
    summary: 'Publish a version of the advertising terms, which every organisation must accept again',
    options: { version: text, file: text.describe('FILE.md').optional() },
    run: (o, { call }) => {
      const json = { version: o.version, text: o.file === undefined ? undefined : readTerms(o.file) };
      return call('gateway', { method: 'POST', path: '/admin/terms', json });
    },
  }),
  command({
    name: 'terms accept',
    summary: 'Record that an organisation has accepted the current terms',
    options: { org: id },
    run: (o, { call }) =>
      call('gateway', { method: 'POST', path: `/admin/organisations/${o.org}/accept-terms` }),
  }),
];

/** Reads all pages, newest organisations first. */
async function listAll({ call }: Tools, only: string): Promise<OrganisationDetails[]> {
  const all: OrganisationDetails[] = [];
  for (let before = ''; ; ) {
    const path = `/admin/organisations?limit=1000${only}${before}`;
    const page = organisationsReply.parse(await call('gateway', { method: 'GET', path }));
    all.push(...page.organisations);
    if (page.nextBefore === null) return all;
    before = `&before=${page.nextBefore}`;
  }
}

/** Checked before anything is sent, so that the message names the wrong file. */
function readTerms(file: string): string {
  const checked = termsVersion.shape.text.safeParse(readText(file));
  if (!checked.success || checked.data === null)
    throw new UsageError(
      `terms publish: ${file} ${checked.error?.issues[0]?.message ?? 'must not be empty'}`,
    );
  return checked.data;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`terms publish: cannot read ${file}`);
  }
}
