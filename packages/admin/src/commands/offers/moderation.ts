/** Commands for verdicts on pictures, and for rulings: the decisions of people, which override the model. */
import {
  copyReply,
  type PictureReply,
  pictureReply,
  picturesReply,
  type RulingRequest,
  rulingsReply,
} from '@offer-ads/contracts/internal/moderation-api';
import { z } from 'zod';
import { type Command, command, count, id, isoTime, text } from '../../command.ts';
import { writeNew } from '../../files.ts';
import type { Tools } from '../../tools.ts';
import { type GivenPicture, readPicture } from './picture-files.ts';
import { formatRecord, NOT_JUDGED, rounded } from './picture-record.ts';

/** HASH: `contentHash` of the upload, or `cleanHash` of the cleaned picture. */
const picture = text.describe('HASH|FILE|IMAGE-URL');
const rulingNumber = count.describe('RULING-NUMBER');
const verdict = z.enum(['allowed', 'refused'], 'must be allowed or refused').describe('allowed|refused');

const rulings = {
  allow: 'Allow exactly this picture from the next upload on; overrides the model',
  block: 'Refuse a picture and changed copies of it from the next upload on; overrides the model',
  withdraw: 'Withdraw the ruling about a picture: the model decides again',
} as const satisfies Record<RulingRequest['action'], string>;

export const moderationCommands: readonly Command[] = [
  command({
    name: 'moderation list',
    summary: 'List uploaded pictures with their verdicts, latest first; --cursor continues after a page',
    options: {
      verdict: verdict.optional(),
      from: isoTime.optional(),
      org: id.optional(),
      limit: count.optional(),
      cursor: text.optional(),
    },
    run: async ({ org, from: since, ...filters }, { call }) => {
      const query = { ...filters, since, organisationId: org };
      const page = picturesReply.parse(await call('moderation', 'GET /admin/pictures', { query }));
      const pictures = page.pictures.map(({ organisationId, contentHash, uploads, ...picture }) => ({
        at: picture.at,
        org: organisationId,
        mode: picture.mode,
        verdict: picture.verdict,
        reason: picture.reason,
        next: picture.now ?? NOT_JUDGED,
        explicit: rounded(picture.explicit),
        suggestive: rounded(picture.suggestive),
        uploads,
        contentHash,
      }));
      return { pictures, nextCursor: page.nextCursor };
    },
  }),
  command({
    name: 'moderation show',
    summary:
      'Show the record of a picture, by contentHash or cleanHash: scores, model, thresholds, history; --file writes a small copy',
    options: { picture, file: text.describe('FILE.jpg').optional() },
    operand: 'picture',
    run: async (o, { call }) => {
      const { name } = readPicture(o.picture);
      const record = pictureReply.parse(await call('moderation', `GET /admin/pictures/${name}`));
      if (o.file === undefined) return formatRecord(record);
      const { jpegBase64 } = copyReply.parse(await call('moderation', `GET /admin/pictures/${name}/copy`));
      writeNew(o.file, Buffer.from(jpegBase64, 'base64'));
      return { ...formatRecord(record), copy: `written to ${o.file}` };
    },
  }),
  ...(['allow', 'block', 'withdraw'] as const).map((action) =>
    command({
      name: `moderation ${action}`,
      summary: rulings[action],
      options: { picture, reason: text },
      operand: 'picture',
      run: async ({ picture: given, ...ruling }, tools) => ({
        ...formatRecord(await rule(tools, readPicture(given), { action, ...ruling })),
        note:
          action === 'block'
            ? 'Existing offers with the picture are not changed: stop them with "offer disable". Their image addresses begin with its cleanHash, or with one of its earlierCleanHashes.'
            : null,
      }),
    }),
  ),
  command({
    name: 'moderation rulings',
    summary:
      'List the rulings of people, latest first; --cursor continues after a page: the last number of it',
    options: { limit: count.optional(), cursor: rulingNumber.optional() },
    run: async ({ limit, cursor: before }, { call }) =>
      rulingsReply.parse(await call('moderation', 'GET /admin/rulings', { query: { limit, before } })),
  }),
];

async function rule(
  { call }: Tools,
  { name, bytes }: GivenPicture,
  ruling: Pick<RulingRequest, 'action' | 'reason'>,
): Promise<PictureReply> {
  const pictureGiven = bytes === undefined ? { name } : { imageBase64: bytes.toString('base64') };
  const json = { ...ruling, ...pictureGiven } satisfies RulingRequest;
  return pictureReply.parse(await call('moderation', 'POST /admin/rulings', { json }));
}
