/** Members of a development system, imported as the platform team would import real ones. */
import { generateMembers } from '../../services/pricing/src/domain/members/generated-members.ts';
import type { AdminClient } from './admin-client.ts';

export const demoMemberCount = 50_000;

/** May be repeated: the same seed gives the same members. */
export async function importDemoMembers(admin: AdminClient, count = demoMemberCount): Promise<void> {
  let lines = '';
  for (const { memberId, ...facts } of generateMembers({ count, seed: 1 }))
    lines += `${JSON.stringify({ member_id: memberId, ...facts })}\n`;
  await admin('PRICING', 'POST', '/admin/members/import', lines);
}
