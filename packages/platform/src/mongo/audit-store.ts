/** The audit log in MongoDB, which has no triggers: that entries are only added and completed is a rule of this file. */
import type { AuditEntry } from '@offer-ads/contracts/admin/audit-api';
import type { AuditStore } from '../admin/audit.ts';
import type { Mongo } from './mongo.ts';
import { orUnavailable, withinBudget } from './mongo-faults.ts';

type EntryDocument = Omit<AuditEntry, 'id' | 'at'> & { _id: string; at: Date };

export async function mongoAudit(mongo: Mongo): Promise<AuditStore> {
  const entries = mongo.connection.collection<EntryDocument>('audit_entries');
  await entries.createIndex({ at: -1, _id: -1 });
  return {
    add: async ({ id, at, ...entry }) => {
      const document = { _id: id, at: new Date(at), ...entry, status: null };
      await orUnavailable(entries.insertOne(document, withinBudget()));
    },
    complete: async (id, { status, targets, organisationId }) => {
      await orUnavailable(
        entries.updateOne(
          { _id: id, status: null },
          { $set: { status, organisationId }, $push: { targets: { $each: [...targets] } } },
        ),
      );
    },
    list: async ({ actor, action, target, organisationId, from, to, before, limit }) => {
      const equal = Object.entries({ actor, action, targets: target, organisationId });
      const found = await orUnavailable(
        entries
          .find(
            {
              ...Object.fromEntries(equal.filter(([, value]) => value !== undefined)),
              $and: [
                from === undefined ? {} : { at: { $gte: from } },
                to === undefined ? {} : { at: { $lt: to } },
                before === undefined
                  ? {}
                  : { $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }] },
              ],
            },
            withinBudget(),
          )
          .sort({ at: -1, _id: -1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(entryOf);
    },
    removeBefore: async (at) => {
      await orUnavailable(entries.deleteMany({ at: { $lt: at } }));
    },
  };
}

function entryOf({ _id, at, ...same }: EntryDocument): AuditEntry {
  return { id: _id, at: at.toISOString(), ...same };
}
