/** What all replicas have spent of the privacy budgets on each day. It contains no positions and no questions. */
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Connection } from 'mongoose';
import type { SpendingStore } from './replica-budgets.ts';

type SpendingDocument = { _id: string; spent: number; at: Date };

/** The day itself and the 29 before it count. */
const DAYS_BEFORE = 29;
/** One day more, because clocks differ. */
const KEPT_SECONDS = (DAYS_BEFORE + 2) * 86_400;

export async function openSpendingStore(connection: Connection): Promise<SpendingStore> {
  const collection = connection.collection<SpendingDocument>('privacy_budget_spending');
  await orUnavailable(collection.createIndex({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS }));
  const idOf = (day: string, id: string) => `${day} ${id}`;
  return {
    add: async (day, spent) => {
      const updates = spent.map((each) => ({
        updateOne: {
          filter: { _id: idOf(day, each.id) },
          update: { $inc: { spent: each.spent }, $setOnInsert: { at: new Date() } },
          upsert: true,
        },
      }));
      await orUnavailable(collection.bulkWrite(updates, { ordered: false }));
    },
    totals: async (day, ids) => {
      const filter = { _id: { $in: ids.map((id) => idOf(day, id)) } };
      const options = { batchSize: ids.length, ...withinBudget() };
      const found = await orUnavailable(collection.find(filter, options).toArray());
      return found.map(({ _id, spent }) => ({ id: _id.slice(day.length + 1), spent }));
    },
    before: async (day, ids) => {
      const midnight = Date.parse(day);
      const days = Array.from({ length: DAYS_BEFORE }, (_, index) =>
        new Date(midnight - (index + 1) * 86_400_000).toISOString().slice(0, day.length),
      );
      const filter = { _id: { $in: days.flatMap((earlier) => ids.map((id) => idOf(earlier, id))) } };
      const found = await orUnavailable(collection.find(filter, withinBudget()).toArray());
      const spent = new Map<string, number>();
      for (const entry of found) {
        const id = entry._id.slice(day.length + 1);
        spent.set(id, (spent.get(id) ?? 0) + entry.spent);
      }
      return [...spent].map(([id, total]) => ({ id, spent: total }));
    },
  };
}
