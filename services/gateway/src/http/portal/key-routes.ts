/** Manage API Keys (specification, Authentication items 2 to 4 and 9): the keys of the organisation, in both modes. */
import {
  type ApiKey,
  type DisabledKeyReply,
  type IssuedKeyReply,
  type KeyRightsReply,
  type KeysReply,
  newKey,
} from '@offer-ads/contracts/portal/organisation-api';
import { keyRightsChange } from '@offer-ads/contracts/values/key-rights';
import type { AuditLog } from '@offer-ads/platform/admin/audit';
import { auditTarget } from '@offer-ads/platform/admin/audit';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Router } from 'express';
import { keyState } from '../../domain/keys/key-state.ts';
import type { OwnedKey } from '../../keys/keys-store.ts';
import type { IssuedKey, Keys } from '../../keys/manage-keys.ts';
import { idIn } from '../organisation-routes.ts';
import { answerPerson } from '../replies.ts';
import { allow, auditActor, changeBy, memberOf } from './portal-session.ts';

export function keyRoutes({ keys, audit }: { keys: Keys; audit: Pick<AuditLog, 'recordBy'> }): Router {
  const routes = express.Router();
  routes.use('/keys', allow('keys'));

  routes.get('/keys', async (req, res) => {
    const all = await keys.listOwned(memberOf(req).organisationId);
    const now = requestFacts(req).receivedAt;
    res.json({ keys: all.map((key) => replyOf(key, now)) } satisfies KeysReply);
  });

  routes.post('/keys', async (req, res) => {
    const wish = validInput(newKey, req.body);
    answerPerson(res, await keys.create(changeBy(req), wish), issuedReply, 201);
  });

  routes.post('/keys/:id/roll', async (req, res) => {
    answerPerson(res, await keys.roll({ ...changeBy(req), id: idIn(req) }), issuedReply);
  });

  routes.post('/keys/:id/disable', async (req, res) => {
    const outcome = await keys.disable({ ...changeBy(req), id: idIn(req) });
    answerPerson(
      res,
      outcome,
      ({ id, disabledAt }): DisabledKeyReply => ({ id, disabledAt: disabledAt.toISOString() }),
    );
  });

  routes.patch('/keys/:id/rights', allow('key-rights'), audit.recordBy(auditActor), async (req, res) => {
    const { organisationId } = memberOf(req);
    auditTarget(req, { organisationId });
    const changed = validInput(keyRightsChange, req.body);
    const outcome = await keys.setRights({ ...changeBy(req), id: idIn(req) }, changed);
    answerPerson(res, outcome, ({ id, rights }): KeyRightsReply => ({ id, rights }));
  });
  return routes;
}

function issuedReply(issued: IssuedKey): IssuedKeyReply {
  const { id, key, lastFour, mode, expiresAt } = issued;
  if (mode === null) throw new Error('people are issued no keys without a mode');
  return { id, key, lastFour, mode, expiresAt: expiresAt?.toISOString() ?? null };
}

function replyOf(key: OwnedKey, now: Date): ApiKey {
  return {
    id: key.id,
    mode: key.mode,
    name: key.name,
    lastFour: key.lastFour,
    createdBy: key.owner,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    disabledAt: key.disabledAt?.toISOString() ?? null,
    disabledBy: key.disabledBy,
    requestsPerMinute: key.requestsPerMinute,
    rights: key.rights,
    rolledFrom: key.rolledFrom,
    standing: keyState({ ...key, ownerEnabled: key.owner.enabled }, now),
  };
}
