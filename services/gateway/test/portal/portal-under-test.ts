/** A gateway with people who sign in to the portal: their mails, their browsers, further replicas. */
import {
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
  readonly call: (path: string, o?: Call) => Promise<Reply>;
  readonly ask: (email: string) => Promise<Reply>;
  readonly complete: (token: string) => Promise<Reply>;
  /** Asks, reads the mail, follows the link. */
  readonly signIn: (email: string) => Promise<Reply>;
  cookie: string | undefined;
  csrfToken: string | undefined;
  /** Another base address: a further replica. */
  url: string;
};

export type PortalUnderTest = AsyncDisposable & {
  readonly gateway: GatewayUnderTest;
  readonly clock: TestClock;
  readonly database: pg.Client;
  readonly browser: (ip?: string) => Browser;
  /** The token of the next mail to the address that no test has read yet. */
  readonly nextToken: (email: string) => Promise<string>;
  readonly mailsTo: (email: string) => readonly ReceivedEvent<typeof SignInRequested>[];
  readonly invitationsTo: (email: string) => readonly ReceivedEvent<typeof PersonInvited>[];
  readonly signUpMailsTo: (email: string) => readonly ReceivedEvent<typeof SignUpRequested>[];
  readonly registrationsOf: (
    organisationId: number,
  ) => readonly ReceivedEvent<typeof OrganisationRegistered>[];
  readonly changesOf: (organisationId: number) => readonly ReceivedEvent<typeof OrganisationChanged>[];
  readonly approvalsOf: (organisationId: number) => readonly ReceivedEvent<typeof OrganisationApproved>[];
  /** Once a mail to this new person is there, all that was asked for before has been answered. */
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
  const logger = o.logger ?? silentLogger;
  const gateway = opened.use(
    await startGatewayUnderTest({ clock, settings: o.settings ?? {}, overrides: { logger } }),
  );
  const mails: ReceivedEvent<typeof SignInRequested>[] = [];
  const broker = opened.use(
    await connectBroker({
      url: gateway.config.RABBITMQ_URL,
      service: 'notifier',
      declarations: [
        SignInRequested,
        PersonInvited,
        SignUpRequested,
        OrganisationRegistered,
        OrganisationChanged,
        OrganisationApproved,
      ],
      logger: silentLogger,
      metrics: createMetrics('notifier'),
      namespace: gateway.brokerNamespace,
    }),
  );
  const invitations: ReceivedEvent<typeof PersonInvited>[] = [];
  const changes: ReceivedEvent<typeof OrganisationChanged>[] = [];
  const signUps: ReceivedEvent<typeof SignUpRequested>[] = [];
  const registrations: ReceivedEvent<typeof OrganisationRegistered>[] = [];
  const approvals: ReceivedEvent<typeof OrganisationApproved>[] = [];
  await broker.consume([
    on(OrganisationApproved, keepIn(approvals)),
    on(SignUpRequested, keepIn(signUps)),
    on(OrganisationRegistered, keepIn(registrations)),
    on(SignInRequested, keepIn(mails)),
    on(PersonInvited, keepIn(invitations)),
    on(OrganisationChanged, keepIn(changes)),
  ]);

  const mailsTo = (email: string) => mails.filter((mail) => mail.data.email === email);
  const read = new Map<string, number>();
  const nextToken = async (email: string): Promise<string> => {
    const count = read.get(email) ?? 0;
    const mail = await eventually(() => {
      const mail = mailsTo(email)[count];
      if (mail === undefined) throw new Error(`no mail number ${count + 1} to ${email}`);
      return mail;
    });
    read.set(email, count + 1);
    return tokenOf(mail);
  };

  const browser = (ip = unusedIp()): Browser => {
    const call = async (
      path: string,
      { method = 'GET', json, headers, body, once = false }: Call = {},
    ): Promise<Reply> => {
      const reply = await gateway.call(path, {
        base: self.url,
        method,
        ip,
        once,
        headers: {
          ...(self.cookie === undefined ? {} : { cookie: self.cookie }),
          ...(self.csrfToken === undefined || method === 'GET' ? {} : { 'x-csrf-token': self.csrfToken }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(body === undefined ? {} : { body }),
      });
      for (const line of reply.headers.getSetCookie()) self.cookie = line.split(';')[0];
      const { csrfToken } = (reply.body ?? {}) as { csrfToken?: string };
      if (csrfToken !== undefined) self.csrfToken = csrfToken;
      return reply;
    };
    const self: Browser = {
      call,
      ask: (email) => call('/portal/api/sign-in', { method: 'POST', json: { email } }),
      complete: (token) => call('/portal/api/sign-in/complete', { method: 'POST', json: { token } }),
      // After a 503 with a new link: the old one may have been used all the same.
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
  const whenAllIsAnswered = async () => {
    const email = `marker-${(markers += 1)}@cafe.test`;
    await organisationOf(email);
    await browser().ask(email);
    await nextToken(email);
  };
  const replicas = opened.adopt(new AsyncDisposableStack(), (stack) => stack.disposeAsync());
  const startReplica = async () => {
    const replica = replicas.use(await gateway.startReplica());
    return replica.url;
  };

  const running = opened.move();
  return {
    gateway,
    clock,
    database: gateway.database,
    browser,
    nextToken,
    mailsTo,
    invitationsTo: (email) => invitations.filter(({ data }) => data.email === email),
    signUpMailsTo: (email) => signUps.filter(({ data }) => data.email === email),
    registrationsOf: (organisationId) =>
      registrations.filter(({ data }) => data.organisationId === organisationId),
    changesOf: (organisationId) => changes.filter(({ data }) => data.organisationId === organisationId),
    approvalsOf: (organisationId) => approvals.filter(({ data }) => data.organisationId === organisationId),
    whenAllIsAnswered,
    organisationOf,
    startReplica,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Events come at least once, on a busy machine also twice: as by services, each is kept once. */
export function keepIn<E extends ReceivedEvent>(kept: E[]): (event: E) => Promise<void> {
  return async (event) => {
    if (kept.every(({ id }) => id !== event.id)) kept.push(event);
  };
}

export function tokenOf(mail: { readonly data: { readonly signInUrl: string } }): string {
  return new URL(mail.data.signInUrl).hash.slice(1);
}

/** What a reply says to a caller, without what differs from reply to reply anyway. */
export function visible(reply: Reply) {
  const headers = Object.fromEntries(reply.headers);
  for (const name of ['date', 'x-request-id', 'x-ratelimit-reset']) delete headers[name];
  return { status: reply.status, headers, body: reply.body };
}
