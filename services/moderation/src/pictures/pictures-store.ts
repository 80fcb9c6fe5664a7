/** The stored facts of each uploaded picture, the last answer to an uploader, and small copies of refused pictures. */
import type { PictureType } from '@offer-ads/contracts/pictures/picture-header';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Recognised, RefusalReason } from '../domain/decision.ts';
import { packed, unpacked } from '../domain/fingerprint.ts';

export type PictureFacts = Recognised & { readonly type: PictureType; readonly frames: number };

export type Upload = {
  readonly at: Date;
  readonly organisationId: number;
  readonly mode: Mode;
  readonly verdict: 'allowed' | 'refused';
  /** Null if the picture was allowed. */
  readonly reason: RefusalReason | null;
};

export type UploadedPicture = Omit<PictureFacts, 'fingerprints'> & {
  readonly uploads: number;
  readonly firstAt: Date;
  readonly last: Upload;
};

export type PicturesFilter = {
  readonly verdict?: 'allowed' | 'refused' | undefined;
  readonly mode?: Mode | undefined;
  readonly since?: Date | undefined;
  readonly organisationId?: number | undefined;
  /** The last of the page before. */
  readonly after?: { readonly at: Date; readonly contentHash: string } | undefined;
  readonly limit: number;
};

export type PicturesStore = Awaited<ReturnType<typeof openPicturesStore>>;

type PictureDocument = Omit<UploadedPicture, 'contentHash'> & {
  readonly _id: string;
  readonly fingerprints: Buffer;
};

export async function openPicturesStore(mongo: Mongo) {
  const pictures = mongo.connection.collection<PictureDocument>('pictures');
  await orUnavailable(
    Promise.all([
      pictures.createIndex({ cleanHash: 1, 'last.at': -1 }),
      pictures.createIndex({ earlierCleanHashes: 1, 'last.at': -1 }),
      pictures.createIndex({ 'last.at': -1, _id: -1 }),
      pictures.createIndex({ 'last.verdict': 1, 'last.at': -1, _id: -1 }),
      pictures.createIndex({ 'last.mode': 1, 'last.verdict': 1, 'last.at': -1, _id: -1 }),
      pictures.createIndex({ 'last.organisationId': 1, 'last.at': -1, _id: -1 }),
    ]),
  );
  const reading = () => ({ ...withinBudget(), promoteBuffers: true });
  return {
    /** By the hash of the upload. */
    find: async (contentHash: string): Promise<PictureFacts | undefined> => {
      const found = await orUnavailable(pictures.findOne({ _id: contentHash }, reading()));
      return found === null ? undefined : pictureOf(found);
    },
    recordUpload: async (picture: PictureFacts, last: Upload) => {
      const { contentHash, earlierCleanHashes = [], fingerprints, ...rest } = picture;
      const { cleanHash, type, frames } = rest;
      const facts = { cleanHash, type, frames, fingerprints: packed(fingerprints) };
      await orUnavailable(
        pictures.updateOne(
          { _id: contentHash },
          {
            $set: { ...facts, last },
            $inc: { uploads: 1 },
            $setOnInsert: { firstAt: last.at },
            ...(earlierCleanHashes.length > 0 && {
              $addToSet: { earlierCleanHashes: { $each: [...earlierCleanHashes] } },
            }),
          },
          { upsert: true, ...withinBudget() },
        ),
      );
    },
    /** By any of its names; of several pictures with the same cleaned bytes, the latest uploaded. */
    findUploaded: async (name: string) => {
      const byUpload = await orUnavailable(pictures.findOne({ _id: name }, reading()));
      const found =
        byUpload ??
        (await orUnavailable(
          pictures.findOne(
            { $or: [{ cleanHash: name }, { earlierCleanHashes: name }] },
            { ...reading(), sort: { 'last.at': -1 } },
          ),
        ));
      return found === null ? undefined : pictureOf(found);
    },
    /** The latest uploaded first. */
    list: async ({ verdict, mode, since, organisationId, after, limit }: PicturesFilter) => {
      const found = pictures.find(
        {
          ...(verdict !== undefined && { 'last.verdict': verdict }),
          ...(mode !== undefined && { 'last.mode': mode }),
          ...(organisationId !== undefined && { 'last.organisationId': organisationId }),
          ...(since !== undefined && { 'last.at': { $gte: since } }),
          ...(after !== undefined && {
            $or: [{ 'last.at': { $lt: after.at } }, { 'last.at': after.at, _id: { $lt: after.contentHash } }],
          }),
        },
        reading(),
      );
      const page = await orUnavailable(found.sort({ 'last.at': -1, _id: -1 }).limit(limit).toArray());
      return page.map(pictureOf);
    },
  };
}

function pictureOf({ _id, fingerprints, ...rest }: PictureDocument): UploadedPicture & PictureFacts {
  return { contentHash: _id, ...rest, fingerprints: unpacked(fingerprints) };
}

export type CopiesStore = Awaited<ReturnType<typeof openCopiesStore>>;

type CopyDocument = { readonly _id: string; readonly jpeg: Buffer; readonly until: Date };

/** Most have about 100 KB and none a whole megabyte: room for 150 refusals a day. */
const defaultMax = 5_000;

/** @param most above it, the copies that would expire first are deleted early */
export async function openCopiesStore(mongo: Mongo, most = defaultMax) {
  const copies = mongo.connection.collection<CopyDocument>('copies');
  // MongoDB deletes expired copies within a minute.
  await orUnavailable(copies.createIndex({ until: 1 }, { expireAfterSeconds: 0 }));

  async function makeRoom(): Promise<void> {
    const tooMany = (await orUnavailable(copies.estimatedDocumentCount(withinBudget()))) - most;
    if (tooMany <= 0) return;
    const oldest = copies.find({}, withinBudget()).sort({ until: 1 }).limit(tooMany);
    const ids = (await orUnavailable(oldest.project<{ _id: string }>({ _id: 1 }).toArray())).map(
      ({ _id }) => _id,
    );
    await orUnavailable(copies.deleteMany({ _id: { $in: ids } }, withinBudget()));
  }

  return {
    /** Extends the time of an existing copy; false if there is none. */
    keepLonger: async (contentHash: string, until: Date) => {
      const change = copies.updateOne({ _id: contentHash }, { $set: { until } }, withinBudget());
      return (await orUnavailable(change)).matchedCount === 1;
    },
    keep: async (contentHash: string, jpeg: Buffer, until: Date) => {
      await orUnavailable(
        copies.updateOne(
          { _id: contentHash },
          { $set: { jpeg, until } },
          { upsert: true, ...withinBudget() },
        ),
      );
      await makeRoom();
    },
    find: async (contentHash: string) => {
      const found = copies.findOne({ _id: contentHash }, { ...withinBudget(), promoteBuffers: true });
      return (await orUnavailable(found))?.jpeg;
    },
  };
}
