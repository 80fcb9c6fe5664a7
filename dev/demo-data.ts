/** Fills a new system through the services' admin routes. Every step may be repeated, so that an interrupted start can continue. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AdminClient, createAdminClient } from './demo-data/admin-client.ts';
import { catalogue } from './demo-data/catalogue.ts';
import { demoMemberCount, importDemoMembers } from './demo-data/members.ts';
import {
  type DemoOrganisation,
  type OrganisationPlan,
  organisationPlans,
} from './demo-data/organisations.ts';
import { demoTerms } from './demo-data/terms.ts';
import { devFolder } from './start/folder.ts';
import { readJson, writeJson } from './start/json-file.ts';

const modes = ['TEST', 'LIVE'] as const;

export type DemoData = {
  readonly organisations: readonly DemoOrganisation[];
  /** The community platform's. */
  readonly placementKeys: Readonly<Record<(typeof modes)[number], string>>;
};

/** Stored here because the services cannot return it again: a key is shown only at its creation. */
type Progress = DemoData & { readonly complete: boolean };

/** @param folder stores the progress */
export async function provideDemoData(
  adminSettings: Readonly<Record<string, string>>,
  report: (line: string) => void,
  folder = devFolder,
): Promise<DemoData> {
  mkdirSync(folder, { recursive: true });
  const progressFile = join(folder, 'demo-data.json');
  const before = readJson(progressFile) as Progress | undefined;
  if (before?.complete) return before;

  const admin = createAdminClient(adminSettings);
  report(`Creating demo data: ${organisationPlans.length} organisations, ${demoMemberCount} members ...`);
  await admin('OFFERS', 'PUT', '/admin/catalogue', catalogue);
  const imported = importDemoMembers(admin);
  await admin('GATEWAY', 'POST', '/admin/terms', demoTerms);
  const provided = new Map(
    (before?.organisations ?? []).map((organisation) => [organisation.name, organisation]),
  );
  const inOrder = () => organisationPlans.flatMap(({ name }) => provided.get(name) ?? []);
  const fill = async (plan: OrganisationPlan, id: number) => {
    provided.set(plan.name, await fillOrganisation(admin, plan, id));
    writeJson(progressFile, { complete: false, organisations: inOrder() });
  };
  const filling: Promise<void>[] = [];
  for (const plan of organisationPlans) {
    if (provided.has(plan.name)) continue;
    // Registered one after the other, so that their ids are in order; then filled at the same time, which takes a second.
    filling.push(fill(plan, await registerOrganisation(admin, plan)));
  }
  const [TEST, LIVE] = await Promise.all([
    makePlacementKey(admin, 'TEST'),
    makePlacementKey(admin, 'LIVE'),
    imported,
    ...filling,
  ]);
  const data: DemoData = { organisations: inOrder(), placementKeys: { TEST, LIVE } };
  writeJson(progressFile, { complete: true, ...data });
  return data;
}

async function makePlacementKey(admin: AdminClient, mode: (typeof modes)[number]): Promise<string> {
  return (await admin<{ key: string }>('GATEWAY', 'POST', '/admin/placement-keys', { mode })).key;
}

/** Registers an organisation with its balances and a key for each mode. */
export async function provideOrganisation(
  admin: AdminClient,
  plan: OrganisationPlan,
): Promise<DemoOrganisation> {
  return fillOrganisation(admin, plan, await registerOrganisation(admin, plan));
}

async function registerOrganisation(
  admin: AdminClient,
  { name, tradingName, country, currency, adminEmail }: OrganisationPlan,
): Promise<number> {
  const organisation = { name, tradingName, country, currency, adminEmail };
  return (await admin<{ id: number }>('GATEWAY', 'POST', '/admin/organisations', organisation)).id;
}

async function fillOrganisation(
  admin: AdminClient,
  plan: OrganisationPlan,
  id: number,
): Promise<DemoOrganisation> {
  const { name, country, currency, adminEmail } = plan;
  const topUp = (mode: (typeof modes)[number]) =>
    admin('BILLING', 'POST', '/admin/balances/top-up', {
      organisationId: id,
      mode,
      currency,
      amountMinor: `${plan.balanceMinor}`,
      reference: `demo-data-${id}-${mode}`,
    });
  const makeKey = async (mode: (typeof modes)[number]) => {
    const made = { organisationId: id, mode, name: 'Demo' };
    return (await admin<{ key: string }>('GATEWAY', 'POST', '/admin/keys', made)).key;
  };
  const [TEST, LIVE] = await Promise.all([
    makeKey('TEST'),
    makeKey('LIVE'),
    plan.acceptsTerms && admin('GATEWAY', 'POST', `/admin/organisations/${id}/accept-terms`, {}),
    ...(plan.balanceMinor === 0n ? [] : modes.map(topUp)),
  ]);
  return { id, name, country, currency, adminEmail, keys: { TEST, LIVE } };
}
