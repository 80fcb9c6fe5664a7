/**
 * `/admin/notifications` and `/admin/bounces`: the results of deliveries, for the platform team; `admin-notifier-api` defines the shapes.
 */
import {
  type BouncesReply,
  bounceNamed,
  bouncesQuery,
  type NotificationShown,
  type NotificationSummary,
  notificationNamed,
  notificationsQuery,
} from '@offer-ads/contracts/admin/notifier-api';
import { type AdminGuard, actorOf } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express } from 'express';
import type { BouncesStore } from '../bounces-store.ts';
import { noOrganisation } from '../domain/announcement.ts';
import { type Bounce, heededUntil } from '../domain/delivery/bounce.ts';
import type { ResendRefusal } from '../domain/delivery/delivery.ts';
import type { Registered, RegisterStore } from '../register-store.ts';

export function notificationAdminRoutes(
  app: Express,
  o: {
    readonly register: RegisterStore;
    readonly bounces: BouncesStore;
    readonly messageIdOf: (notificationId: string) => string;
    readonly wakeDelivery: () => void;
    readonly admin: AdminGuard;
  },
): void {
  const guard = o.admin(16 * 1024);
  const shown = (notification: Registered) => shownWith(notification, o.messageIdOf);

  const notifications = express.Router();
  notifications.use(guard);
  notifications.get('/', async (req, res) => {
    const found = await o.register.list(validInput(notificationsQuery, req.query));
    res.json({ notifications: found.map(summary) });
  });
  notifications.get('/one', async (req, res) => {
    const { id } = validInput(notificationNamed, req.query);
    const notification = await o.register.find(id);
    if (notification === undefined) return void res.status(404).json(refusals.unknown.body);
    res.json(shown(notification));
  });
  notifications.post('/resend', async (req, res) => {
    const { id } = validInput(notificationNamed, req.body);
    const outcome = await o.register.resend(id, actorOf(req));
    if (!outcome.ok) {
      const { status, body } = refusals[outcome.reason];
      return void res.status(status).json(body);
    }
    o.wakeDelivery();
    res.json(shown(outcome.notification));
  });
  app.use('/admin/notifications', notifications);

  const bounces = express.Router();
  bounces.use(guard);
  bounces.get('/', async (req, res) => {
    const { limit } = validInput(bouncesQuery, req.query);
    const listed = await o.bounces.list(limit);
    res.json({ bounces: listed.map(bounceLine) } satisfies BouncesReply);
  });
  bounces.post('/forget', async (req, res) => {
    const { address } = validInput(bounceNamed, req.body);
    if (!(await o.bounces.forget(address)))
      return void res.status(404).json({ message: 'The address is not on the bounce list' });
    res.json({ address });
  });
  app.use('/admin/bounces', bounces);
}

const refusals = {
  unknown: refusal(404, 'There is no such notification'),
  'nobody-known': refusal(409, 'No receiver is known for this mail; it is sent as soon as there is one'),
  'under-way': refusal(409, 'It is being sent at this moment'),
  'link-gone': refusal(409, 'Its link is not kept any longer, or has expired: ask for a new one'),
  left: refusal(409, 'Nobody in the organisation has this address any longer'),
} satisfies Record<ResendRefusal | 'unknown', ReturnType<typeof refusal>>;

function refusal(status: number, message: string) {
  return { status, body: { message } };
}

function summary(notification: Registered): NotificationSummary {
  const { id, state, eventName, organisationId, recipient, subject, attempts, problem } = notification;
  return {
    id,
    state,
    event: eventName,
    organisationId: organisationId === noOrganisation ? null : organisationId,
    recipient: recipient ?? null,
    subject: subject ?? null,
    createdAt: notification.createdAt.toISOString(),
    attempts,
    nextAttemptAt: state === 'pending' ? time(notification.dueAt) : null,
    settledAt: time(notification.settledAt),
    problem: problem ?? null,
  };
}

function shownWith(notification: Registered, messageIdOf: (id: string) => string): NotificationShown {
  return {
    ...summary(notification),
    messageId: notification.state === 'waiting' ? null : messageIdOf(notification.id),
    expiresAt: time(notification.expiresAt),
    history: notification.history.map(({ at, state, problem, reply, uncertain }) => ({
      at: at.toISOString(),
      state,
      problem: problem ?? null,
      reply: reply ?? null,
      uncertain: uncertain === true,
    })),
    resends: notification.resends.map(({ at, by }) => ({ at: at.toISOString(), by })),
  };
}

function bounceLine(bounce: Bounce): BouncesReply['bounces'][number] {
  const { address, refusals, lastRefusedAt, problem } = bounce;
  return {
    address,
    refusals,
    lastRefusedAt: lastRefusedAt.toISOString(),
    heededUntil: heededUntil(bounce).toISOString(),
    problem,
  };
}

function time(at: Date | undefined): string | null {
  return at?.toISOString() ?? null;
}
