/** Calls the services' admin routes like the platform team's tool. An object is sent as JSON, a string as it is. */
import { adminCredential } from '@offer-ads/platform/admin/tokens';

export type AdminClient = ReturnType<typeof createAdminClient>;
type Owner = 'GATEWAY' | 'OFFERS' | 'BILLING' | 'PRICING' | 'NOTIFIER';

export function createAdminClient(settings: Readonly<Record<string, string>>) {
  return async function call<T>(
    owner: Owner,
    method: string,
    path: string,
    body?: object | string,
  ): Promise<T> {
    const service = owner.toLowerCase() as Lowercase<Owner>;
    const reply = await fetch(`${settings[`${owner}_ADMIN_URL`]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminCredential(settings.ADMIN_TOKEN ?? '', service)}`,
        ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} of ${service}: ${reply.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}
