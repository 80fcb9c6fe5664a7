/** The connections that a trial can cut. Each goes through a TCP proxy of its own. */
import type { Addresses } from '@offer-ads/dev/start/plans';
import type { Stores } from '@offer-ads/dev/start/stores';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';

const linkNames = [
  'gatewayDatabase',
  'offersDatabase',
  'billingDatabase',
  'pricingMongo',
  'moderationMongo',
  'notifierMongo',
  'rabbitmq',
  'valkey',
  'smtp',
  'gatewayToPricing',
] as const;
export type Links = Readonly<Record<(typeof linkNames)[number], TcpProxy>>;

export async function startLinks(
  { databases, mongo, rabbitmq, valkey }: Stores,
  { smtp, pricing }: Addresses,
  started: AsyncDisposableStack,
): Promise<Links> {
  const targets: Record<keyof Links, string> = {
    gatewayDatabase: databases.gateway,
    offersDatabase: databases.offers,
    billingDatabase: databases.billing,
    pricingMongo: mongo.pricing,
    moderationMongo: mongo.moderation,
    notifierMongo: mongo.notifier,
    rabbitmq,
    // Without Valkey nothing uses this proxy.
    valkey: valkey || rabbitmq,
    smtp,
    gatewayToPricing: pricing,
  };
  const proxies = linkNames.map(
    async (name) => [name, started.use(await startTcpProxy(targets[name]))] as const,
  );
  return Object.fromEntries(await Promise.all(proxies)) as Links;
}

/** The addresses that the services get: those of the proxies. */
export function storesBehind(links: Links, { valkey }: Stores): Stores {
  return {
    databases: {
      gateway: links.gatewayDatabase.url,
      offers: links.offersDatabase.url,
      billing: links.billingDatabase.url,
    },
    mongo: {
      pricing: links.pricingMongo.url,
      moderation: links.moderationMongo.url,
      notifier: links.notifierMongo.url,
    },
    rabbitmq: links.rabbitmq.url,
    valkey: valkey === '' ? '' : links.valkey.url,
  };
}
