/** The commands of webhooks. */
import type { OfferAds } from '../client.ts';
import type { EventType, MessageStatus, Webhook, WebhookMessage } from '../types.ts';
import { moment, optionalText, requiredText, texts } from './arguments.ts';
import { type Command, type Given, howMany, listed, shown, Unfinished } from './command.ts';
import { listen } from './listen.ts';
import { messagesText, messageText, printed, resentText, webhooksText, webhookText } from './print.ts';

const webhookId = ({ positionals }: Given): string => positionals[0] ?? '';

/** A command on one webhook, which answers with the webhook as it is then. */
function onWebhook(action: 'enable' | 'disable' | 'rollSecret', name: string, summary: string): Command {
  return {
    summary,
    positionals: ['WEBHOOK'],
    example: `offer-ads webhooks ${name} we_oqQ3SnVYgZ0HVhm1WcgS`,
    run: async (ads: OfferAds, given: Given) =>
      shown<Webhook>(await ads.webhooks[action](webhookId(given), { signal: given.signal }), webhookText),
  };
}

/** Sends one message, at once. */
function sending(
  send: (ads: OfferAds, given: Given) => ReturnType<OfferAds['webhooks']['sendTest' | 'resend']>,
  o: Pick<Command, 'summary' | 'positionals' | 'example'>,
): Command {
  return {
    ...o,
    run: async (ads, given) =>
      shown<WebhookMessage>(await send(ads, given), (message) => messageText(message, webhookId(given))),
  };
}

export const webhookCommands: Readonly<Record<string, Command>> = {
  'webhooks list': {
    summary: 'your webhooks, the oldest first',
    example: 'offer-ads webhooks list',
    run: async (ads, { signal }) =>
      shown(await ads.webhooks.list({ signal }), ({ webhooks }) => webhooksText(webhooks)),
  },
  'webhooks create': {
    summary: 'create a webhook; prints its secret, which is shown this once',
    options: {
      url: { value: 'URL', help: 'an https address on the public internet' },
      description: { value: 'TEXT', help: 'for yourself' },
      event: {
        multiple: true,
        value: 'TYPE',
        help: 'such as offer.paid; may be repeated; all events if omitted, also later ones',
      },
      ed25519: { help: 'sign messages with v1a too' },
      'idempotency-key': {
        value: 'KEY',
        help: 'a unique value per webhook; a repetition with it creates no second webhook',
      },
    },
    example: 'offer-ads webhooks create --url https://shop.example/hooks --event offer.paid',
    run: async (ads, { flags, signal }) => {
      const events = texts(flags, 'event') as readonly EventType[];
      const request = {
        url: requiredText(flags, 'url'),
        description: optionalText(flags, 'description'),
        event_types: events.length === 0 ? undefined : events,
        ed25519: flags['ed25519'] === true ? true : undefined,
      };
      const idempotencyKey = optionalText(flags, 'idempotency-key') ?? crypto.randomUUID();
      try {
        return shown(await ads.webhooks.create(request, { idempotencyKey, signal }), webhookText);
      } catch (error) {
        throw new Unfinished(error, 'webhook', { 'idempotency-key': idempotencyKey });
      }
    },
  },
  'webhooks change': {
    summary: 'change address, description or events; what is not named stays',
    positionals: ['WEBHOOK'],
    options: {
      url: { value: 'URL', help: 'an https address on the public internet' },
      description: { value: 'TEXT', help: 'for yourself; an empty one removes it' },
      event: { multiple: true, value: 'TYPE', help: 'may be repeated; all: all events, also later ones' },
    },
    example: 'offer-ads webhooks change we_oqQ3SnVYgZ0HVhm1WcgS --event offer.paid --event offer.ended',
    run: async (ads, given) => {
      const { flags, signal } = given;
      const found = await ads.webhooks.get(webhookId(given), { signal });
      if (!found.ok) return shown(found, webhookText);
      const events = texts(flags, 'event') as readonly EventType[];
      const before = found.value;
      const request = {
        url: optionalText(flags, 'url') ?? before.url,
        description: (optionalText(flags, 'description') ?? before.description) || null,
        event_types:
          events.length === 0 ? before.event_types : texts(flags, 'event').includes('all') ? null : events,
        ed25519: before.ed25519 ? true : undefined,
      };
      return shown(await ads.webhooks.change(webhookId(given), request, { signal }), webhookText);
    },
  },
  'webhooks test': sending(
    (ads, given) => ads.webhooks.sendTest(webhookId(given), { signal: given.signal }),
    {
      summary: 'send a test message',
      positionals: ['WEBHOOK'],
      example: 'offer-ads webhooks test we_oqQ3SnVYgZ0HVhm1WcgS',
    },
  ),
  'webhooks listen': {
    summary: 'forward TEST events to a server on this machine, until Ctrl+C',
    options: {
      'forward-to': { value: 'URL', help: 'your server, such as http://localhost:3000/hooks' },
      event: { multiple: true, value: 'TYPE', help: 'may be repeated; all events if omitted' },
    },
    example: 'offer-ads webhooks listen --forward-to http://localhost:3000/hooks',
    notes: `A webhook is made for this run, and deleted at its end. Its secret is printed; if OFFER_ADS_WEBHOOK_SECRET is set,
events are signed with that one. Each event is sent once, within a few seconds.`,
    run: listen,
  },
  'webhooks messages': {
    summary: 'what was sent to a webhook, the latest first, with the answer to the last attempt',
    positionals: ['WEBHOOK'],
    options: { status: { value: 'STATUS', help: 'pending, delivered, failed or missed' }, ...howMany },
    example: 'offer-ads webhooks messages we_oqQ3SnVYgZ0HVhm1WcgS --status failed',
    run: async (ads, given) => {
      const { flags, signal } = given;
      const status = optionalText(flags, 'status') as MessageStatus | undefined;
      return listed(
        flags,
        (page) => ads.webhooks.messages(webhookId(given), { ...page, status }, { signal }),
        messagesText,
      );
    },
  },
  'webhooks resend': sending(
    (ads, given) =>
      ads.webhooks.resend(webhookId(given), given.positionals[1] ?? '', { signal: given.signal }),
    {
      summary: 'send a message again, whatever its status is',
      positionals: ['WEBHOOK', 'MESSAGE'],
      example: 'offer-ads webhooks resend we_oqQ3SnVYgZ0HVhm1WcgS msg_2b3QzmCQy1Nl5fVtVw1kQf',
    },
  ),
  'webhooks resend-since': {
    summary: 'send all failed and missed messages since a time again, at most 1,000 at once',
    positionals: ['WEBHOOK', 'TIME'],
    options: { 'include-delivered': { help: 'also those that were delivered, for a server that lost them' } },
    example: 'offer-ads webhooks resend-since we_oqQ3SnVYgZ0HVhm1WcgS 24h',
    run: async (ads, given) => {
      const { flags, now, positionals, signal } = given;
      const request = {
        since: moment(positionals[1] ?? '', 'TIME', now),
        include_delivered: flags['include-delivered'] === true ? true : undefined,
      };
      const result = await ads.webhooks.resendSince(webhookId(given), request, { signal });
      return shown(result, (resent) => resentText(resent, webhookId(given)));
    },
  },
  'webhooks roll-secret': onWebhook(
    'rollSecret',
    'roll-secret',
    'replace the secret; prints the new one, and the old one also signs for 24 hours',
  ),
  'webhooks disable': onWebhook('disable', 'disable', 'send nothing to a webhook until it is enabled'),
  'webhooks enable': onWebhook(
    'enable',
    'enable',
    'enable a webhook; what it missed is sent by resend-since',
  ),
  'webhooks delete': {
    summary: 'delete a webhook with its secret and its messages',
    positionals: ['WEBHOOK'],
    example: 'offer-ads webhooks delete we_oqQ3SnVYgZ0HVhm1WcgS',
    run: async (ads, given) =>
      shown(
        await ads.webhooks.delete(webhookId(given), { signal: given.signal }),
        ({ message }) => `${printed(message)}\n`,
      ),
  },
};
