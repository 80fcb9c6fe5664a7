/** A gateway with people who sign in to the portal: their mails, their browsers, further replicas. */

import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import {
  OrganisationApprovalWithdrawn,
  OrganisationApproved,
  OrganisationChanged,
  OrganisationRegistered,
  PersonInvited,
  SignInRequested,
  SignUpRequested,
} from '@offer-ads/contracts/events/gateway';
import { connectBroker, on } from '@offer-ads/platform/messaging/broker/broker';
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { patiently } from '@offer-ads/testing/waiting/patiently';
import type pg from 'pg';
import { type GatewayUnderTest, type Reply, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { undescribedIn } from './description.ts';

export const publicUrl = 'https://ads.example.test';

type Call = {
  method?: string;
  json?: unknown;
  headers?: Record<string, string>;
  body?: string;
  /** Takes the first answer, also a 503. */
  once?: boolean;
};

/** Keeps its cookie as browsers do, and sends what our page would send. */
export type Browser = {
  /** Throws if the portal's OpenAPI document does not describe the reply. */
  readonly call: (path: string, o?: Call) => Promise<Reply>;
  /** Asks for a link to sign in. */
  readonly ask: (email: string) => Promise<Reply>;
  readonly complete: (token: string) => Promise<Reply>;
  /** Asks, reads the mail, follows the link. */
  readonly signIn: (email: string) => Promise<Reply>;
  cookie: string | undefined;
  csrfToken: string | undefined;
  /** The base address; that of another replica if a test sets it. */
  url: string;
};

type MailsTo<D extends EventDeclaration> = (email: string) => readonly ReceivedEvent<D>[];
type EventsOf<D extends EventDeclaration> = (organisationId: number) => readonly ReceivedEvent<D>[];

const declarations = [
  SignInRequested,
  PersonInvited,
  SignUpRequested,
  OrganisationRegistered,
  OrganisationChanged,
  OrganisationApproved,
  OrganisationApprovalWithdrawn,
];

export type PortalUnderTest = AsyncDisposable & {
  readonly gateway: GatewayUnderTest;
  readonly clock: TestClock;
  readonly database: pg.Client;
  readonly browser: (ip?: string) => Browser;
  /** The token of the next mail to the address that no test has read yet. */
  readonly nextToken: (email: string) => Promise<string>;
  readonly mailsTo: MailsTo<typeof SignInRequested>;
  readonly invitationsTo: MailsTo<typeof PersonInvited>;
  readonly signUpMailsTo: MailsTo<typeof SignUpRequested>;
  /** The token of the sign-up mail with that number to the address; waits for it. */
  readonly signUpToken: (email: string, number?: number) => Promise<string>;
  readonly registrationsOf: EventsOf<typeof OrganisationRegistered>;
  readonly changesOf: EventsOf<typeof OrganisationChanged>;
  readonly approvalsOf: EventsOf<typeof OrganisationApproved>;
  readonly withdrawalsOf: EventsOf<typeof OrganisationApprovalWithdrawn>;
  /** Resolves when all earlier requests to sign in were answered: a new person has asked after them and got the mail. */
  readonly whenAllIsAnswered: () => Promise<void>;
  /** Registers an organisation whose admin has this address. */
  readonly organisationOf: (email: string, name?: string) => Promise<number>;
  readonly startReplica: () => Promise<string>;
};

export async function startPortalUnderTest(
  o: { logger?: Logger; settings?: NodeJS.ProcessEnv } = {},
): Promise<PortalUnderTest> {
  await using opened = new AsyncDisposableStack();
  const clock = testClock();
  const overrides = { logger: o.logger ?? silentLogger };
  const gateway = opened.use(await startGatewayUnderTest({ clock, settings: o.settings ?? {}, overrides }));

  const broker = opened.use(
    await connectBroker({
      url: gateway.config.RABBITMQ_URL,
      service: 'notifier',
      declarations,
      logger: silentLogger,
      metrics: createMetrics('notifier'),
      namespace: gateway.brokerNamespace,
    }),
  );
  const heard: ReceivedEvent[] = [];
  /** Events may come twice; like services do, each is kept once. */
  const keep = async (event: ReceivedEvent) => {
    if (heard.every(({ id }) => id !== event.id)) heard.push(event);
  };
  await broker.consume(declarations.map((declaration) => on<EventDeclaration>(declaration, keep)));
  const heardOf = <D extends EventDeclaration>(declaration: D, field: string) => {
    const isAbout = (event: ReceivedEvent, value: unknown) =>
      event.declaration === declaration && (event.data as Record<string, unknown>)[field] === value;
    return (value: unknown) => heard.filter((event) => isAbout(event, value)) as ReceivedEvent<D>[];
  };
  const mailsTo = heardOf(SignInRequested, 'email');
  const signUpMailsTo = heardOf(SignUpRequested, 'email');
  const read = new Map<string, number>();
  const nextToken = async (email: string): Promise<string> => {
    const number = (read.get(email) ?? 0) + 1;
    const mail = await mailNumber(number, email, mailsTo);
    read.set(email, number);
    return tokenIn(mail.data.signInUrl);
  };

  const browser = (ip = unusedIp()): Browser => {
    const call: Browser['call'] = async (
      path,
      { method = 'GET', json, headers, body, once = false } = {},
    ) => {
      const reply = await gateway.call(path, {
        base: self.url,
        method,
        ip,
        once,
        headers: {
          ...(self.cookie !== undefined && { cookie: self.cookie }),
          ...(self.csrfToken !== undefined && method !== 'GET' && { 'x-csrf-token': self.csrfToken }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(body !== undefined && { body }),
      });
      const undescribed = undescribedIn(method, path, reply);
      if (undescribed.length > 0) throw new Error(`${method} ${path}: ${undescribed.join('; ')}`);
      for (const line of reply.headers.getSetCookie()) self.cookie = line.split(';')[0];
      const { csrfToken } = (reply.body ?? {}) as { csrfToken?: string };
      if (csrfToken !== undefined) self.csrfToken = csrfToken;
      return reply;
    };
    const self: Browser = {
      call,
      ask: (email) => call('/portal/api/sign-in', { method: 'POST', json: { email } }),
      complete: (token) => call('/portal/api/sign-in/complete', { method: 'POST', json: { token } }),
      // With a new link after a 503, because the old one may have been used.
      signIn: (email) =>
        patiently(async () => {
          await self.ask(email);
          const json = { token: await nextToken(email) };
          return call('/portal/api/sign-in/complete', { method: 'POST', json, once: true });
        }),
      cookie: undefined,
      csrfToken: undefined,
      url: gateway.url,
    };
    return self;
  };

  let organisations = 0;
  const organisationOf = (email: string, name = `Cafe ${(organisations += 1)}`) =>
    gateway.register({ name, tradingName: name, adminEmail: email });
  let markers = 0;

  const running = opened.move();
  return {
    gateway,
    clock,
    database: gateway.database,
    browser,
    nextToken,
    mailsTo,
    invitationsTo: heardOf(PersonInvited, 'email'),
    signUpMailsTo,
    signUpToken: async (email, number = 1) => {
      const mail = await mailNumber(number, email, signUpMailsTo);
      return tokenIn(mail.data.url);
    },
    registrationsOf: heardOf(OrganisationRegistered, 'organisationId'),
    changesOf: heardOf(OrganisationChanged, 'organisationId'),
    approvalsOf: heardOf(OrganisationApproved, 'organisationId'),
    withdrawalsOf: heardOf(OrganisationApprovalWithdrawn, 'organisationId'),
    whenAllIsAnswered: async () => {
      const email = `marker-${(markers += 1)}@cafe.test`;
      await organisationOf(email);
      await browser().ask(email);
      await nextToken(email);
    },
    organisationOf,
    startReplica: async () => (await gateway.startReplica()).url,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function mailNumber<E>(number: number, email: string, mailsTo: (email: string) => readonly E[]): Promise<E> {
  return eventually(() => {
    const mail = mailsTo(email)[number - 1];
    if (mail === undefined) throw new Error(`no mail number ${number} to ${email}`);
    return mail;
  });
}

/** The token of a link from a mail. */
export function tokenIn(url: string): string {
  return new URL(url).hash.slice(1);
}

/** What a caller can see of a reply, without the parts that differ between all replies. */
export function visible(reply: Reply) {
  const headers = Object.fromEntries(reply.headers);
  for (const name of ['date', 'x-request-id', 'x-ratelimit-reset']) delete headers[name];
  return { status: reply.status, headers, body: reply.body };
}
