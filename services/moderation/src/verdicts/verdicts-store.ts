/** Verdicts by the SHA-256 of the uploaded bytes, so that the same picture is judged once. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Decision, Scores, Thresholds } from '../domain/decision.ts';
import type { ModelIdentity } from '../model/nsfwjs-model.ts';

/** A stored verdict is valid only for the same model and thresholds. */
export type Basis = { readonly model: ModelIdentity; readonly thresholds: Thresholds };

export type Judgement = {
  readonly contentHash: string;
  readonly basis: Basis;
  readonly decision: Decision;
  /** The model's scores, for questions about the verdict later. */
  readonly looks: readonly Scores[];
  readonly judgedAt: Date;
};

export type VerdictsStore = Awaited<ReturnType<typeof openVerdictsStore>>;

export async function openVerdictsStore(mongo: Mongo) {
  const verdicts = mongo.connection.collection<Judgement>('verdicts');
  await orUnavailable(
    verdicts.createIndex({ contentHash: 1, basis: 1 }, { unique: true, name: 'one_per_picture_and_basis' }),
  );
  return {
    find: async (contentHash: string, basis: Basis) => {
      const kept = await orUnavailable(verdicts.findOne(keyOf(contentHash, basis), withinBudget()));
      return kept?.decision;
    },
    /** With any model and thresholds, the latest first. */
    ofPictures: async (contentHashes: readonly string[]): Promise<readonly Judgement[]> => {
      const found = verdicts.find({ contentHash: { $in: [...contentHashes] } }, withinBudget());
      return orUnavailable(found.sort({ judgedAt: -1 }).toArray());
    },
    /** @returns the decision that holds: of several uploads of one picture at once, that of the first */
    keep: async ({ contentHash, basis, ...found }: Judgement) => {
      const kept = await orUnavailable(
        verdicts.findOneAndUpdate(
          keyOf(contentHash, basis),
          { $setOnInsert: found },
          // The record of the upload, which the answer waits for, makes it durable too.
          { upsert: true, returnDocument: 'after', ...withinBudget(), writeConcern: { w: 1 } },
        ),
      );
      return kept?.decision ?? found.decision;
    },
  };
}

export function isSameBasis(one: Basis, other: Basis): boolean {
  return (
    one.model.name === other.model.name &&
    one.model.version === other.model.version &&
    one.thresholds.explicit === other.thresholds.explicit &&
    one.thresholds.suggestive === other.thresholds.suggestive
  );
}

/** MongoDB's comparison of subdocuments depends on the order of their fields, so the order is fixed here. */
function keyOf(contentHash: string, { model, thresholds }: Basis): Pick<Judgement, 'contentHash' | 'basis'> {
  return {
    contentHash,
    basis: {
      model: { name: model.name, version: model.version },
      thresholds: { explicit: thresholds.explicit, suggestive: thresholds.suggestive },
    },
  };
}
