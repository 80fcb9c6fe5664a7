/** Routes for `npm run admin -- moderation`: verdicts with their reasons, and people's decisions about them. */
import {
  type PicturesReply,
  pictureName,
  picturesQuery,
  rulingRequest,
  rulingsQuery,
} from '@offer-ads/contracts/internal/moderation-api';
import { type AdminGuard, actorOf } from '@offer-ads/platform/admin/routes';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import express, { type Express } from 'express';
import { z } from 'zod';
import { decideOn, listPictures, type Review, recordOf } from '../verdicts/review.ts';
import { listed, refusals, rulingShown, shown } from './review-replies.ts';

type ReviewRoutes = { readonly admin: AdminGuard; readonly review: Review };

const named = z.object({ name: pictureName });
/** A picture of 5 MiB in base64, and the text of a decision. */
const maxBodyBytes = 7.5 * 2 ** 20;

export function mountReviewRoutes(app: Express, o: ReviewRoutes): void {
  const { review } = o;
  const routes = express.Router();
  routes.use(o.admin(maxBodyBytes));

  async function existingRecord(name: string) {
    const record = await recordOf(review, name);
    if (record === undefined) throw refusal('unknown');
    return record;
  }

  routes.get('/pictures', async (req, res) => {
    const { cursor, undecided, ...filter } = validInput(picturesQuery, req.query);
    const after = cursor === undefined ? undefined : parseCursor(cursor);
    const pictures = await listPictures(review, { ...filter, after });
    const last = pictures.length === filter.limit ? pictures.at(-1) : undefined;
    const nextCursor = last === undefined ? null : `${last.last.at.getTime()}-${last.contentHash}`;
    const wanted = undecided ? pictures.filter(({ now }) => now?.ruling === undefined) : pictures;
    res.json({ pictures: wanted.map(listed), nextCursor } satisfies PicturesReply);
  });

  routes.get('/pictures/:name', async (req, res) => {
    const { name } = validInput(named, req.params);
    res.json(shown(await existingRecord(name), review.basis));
  });

  routes.get('/pictures/:name/copy', async (req, res) => {
    const { name } = validInput(named, req.params);
    const { picture } = await existingRecord(name);
    const copy = await review.copies.find(picture.contentHash);
    if (copy === undefined) throw refusal('no-copy');
    res.json({ jpegBase64: copy.toString('base64') });
  });

  routes.get('/rulings', async (req, res) => {
    const rulings = await review.rulings.latest(validInput(rulingsQuery, req.query));
    res.json({ rulings: rulings.map(rulingShown) });
  });

  routes.post('/rulings', async (req, res) => {
    const { name, imageBase64, ...decision } = validInput(rulingRequest, req.body);
    const of = name ?? Buffer.from(imageBase64 ?? '', 'base64');
    const decided = await decideOn(review, of, { ...decision, author: actorOf(req) });
    if (!decided.ok) throw refusal(decided.reason);
    res.json(shown(await existingRecord(decided.ruling.contentHash), review.basis));
  });

  app.use('/admin', routes);
}

/** Names the last picture of the page before by its place in the list. */
function parseCursor(text: string): { at: Date; contentHash: string } {
  const [, time, contentHash] = /^(\d{1,14})-([0-9a-f]{64})$/.exec(text) ?? [];
  if (time === undefined || contentHash === undefined) throw refusal('unknown-cursor');
  return { at: new Date(Number(time)), contentHash };
}

function refusal(reason: keyof typeof refusals): Fault {
  const { status, message } = refusals[reason];
  return new Fault(`review refused: ${reason}`, { status, publicMessage: message });
}
