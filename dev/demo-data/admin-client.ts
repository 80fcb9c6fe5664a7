/** The services' admin routes, called as the platform team's tool calls them. */
import { firstSecret } from '@offer-ads/platform/secrets';

export type AdminClient = ReturnType<typeof createAdminClient>;
type Owner = 'GATEWAY' | 'OFFERS' | 'BILLING' | 'PRICING';

export function createAdminClient(settings: Readonly<Record<string, string>>, actor: string) {
  return async function call<T>(owner: Owner, method: string, path: string, body?: object): Promise<T> {
    const reply = await fetch(`${settings[`${owner}_ADMIN_URL`]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${firstSecret(settings.ADMIN_TOKEN ?? '')}`,
        'x-admin-actor': actor,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} of ${owner.toLowerCase()}: ${reply.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}
