import { adminActorHeader, adminViaHeader } from '@offer-ads/platform/admin/routes';
import { adminCredential } from '@offer-ads/platform/admin/tokens';
import { type Drill, elsewhere, run } from '../../drill.ts';

/** The console lists organisations for somebody who has signed in with an emergency token. */
export const emergencyTokenUsed: Drill = {
  alert: 'EmergencyTokenUsed',
  cause: async (system) => {
    const reply = await fetch(`${system.addresses.gatewayAdmin}/admin/organisations`, {
      headers: {
        authorization: `Bearer ${adminCredential(system.secrets().consoleToken, 'gateway')}`,
        [adminActorHeader]: 'ann',
        [adminViaHeader]: 'emergency',
      },
      signal: AbortSignal.timeout(30_000),
    });
    await reply.body?.cancel();
    if (!reply.ok) throw new Error(`the call was answered with ${reply.status}`);
  },
  mend: [run('admin audit list --limit 20'), elsewhere('the person signs out', async () => {})],
};
