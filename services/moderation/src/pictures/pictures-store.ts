/** The stored facts of each uploaded picture, and the last answer to an uploader. */
import type { PictureType } from '@offer-ads/contracts/pictures/picture-header';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import { packed, unpacked } from '../domain/fingerprint.ts';
import type { Recognised, RefusalReason } from '../domain/ruling.ts';

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
