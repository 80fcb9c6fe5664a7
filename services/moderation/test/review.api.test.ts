import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  copyReply,
  type PictureReply,
  type PicturesReply,
  pictureReply,
  picturesReply,
  rulingsReply,
} from '@offer-ads/contracts/internal/moderation-api';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import sharp from 'sharp';
import { openCopiesStore } from '../src/pictures/pictures-store.ts';
import { sha256 } from '../src/verdicts/judge-picture.ts';
import { moderationUnderTest, ruling } from './moderation-under-test.ts';
import { changes, scenePng } from './scenes.ts';

const under = forAllTests(() => moderationUnderTest());
beforeEach(() => {
  Object.assign(under.model, { says: 0.1, gate: Promise.resolve(), asked: 0 });
  under.clock.advance(60_000);
});

let seeds = 1_000;
let organisations = 0;
/** A new picture by an organisation that has uploaded nothing else, with its name. */
async function uploaded(
  o: { says?: number; mode?: 'TEST' | 'LIVE'; picture?: Buffer; organisationId?: number } = {},
) {
  const picture = o.picture ?? (await scenePng((seeds += 1)));
  const organisationId = o.organisationId ?? (organisations += 1);
  under.model.says = o.says ?? 0.1;
  const reply = await under.upload(picture, { organisationId, mode: o.mode ?? 'TEST' });
  if (reply.verdict === 'unreadable') throw new Error(reply.problem);
  return { picture, organisationId, contentHash: sha256(picture), verdict: reply.verdict };
}

async function list(query: Record<string, string | number>): Promise<PicturesReply> {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) text.set(name, String(value));
  const { status, body } = await under.admin(`GET /pictures?${text.toString()}`);
  expect(status).toBe(200);
  return picturesReply.parse(body);
}

async function show(name: string): Promise<PictureReply> {
  const { status, body } = await under.admin(`GET /pictures/${name}`);
  expect(status).toBe(200);
  return pictureReply.parse(body);
}

function openDatabase() {
  return startWhenStoresServe(() =>
    openMongo({ url: under.mongo.url, logger: silentLogger, metrics: createMetrics('moderation') }),
  );
}

describe('GET /admin/pictures', () => {
  it('lists what was uploaded with what was told, by whom and what it would be now', async () => {
    const { contentHash, organisationId, picture } = await uploaded({ says: 0.75, mode: 'LIVE' });
    under.clock.advance(1_000);
    await under.upload(picture, { organisationId, mode: 'TEST' });
    const told = { organisationId, verdict: 'refused', reason: 'explicit' };
    const scores = { explicit: 0.75, suggestive: 0.75, uploads: 2 };
    const { pictures } = await list({ organisationId });
    expect(pictures).toEqual([
      {
        ...told,
        mode: 'TEST',
        at: under.clock.now().toISOString(),
        contentHash,
        // Offers has made it clean already.
        cleanHash: contentHash,
        now: 'refused',
        ...scores,
      },
    ]);
    await under.admin('POST /rulings', ruling('allow', contentHash));
    expect((await list({ organisationId })).pictures).toMatchObject([{ verdict: 'refused', now: 'allowed' }]);
  });

  it('keeps to verdict, time and mode', async () => {
    const organisationId = 9_001;
    const early = await uploaded({ organisationId });
    under.clock.advance(60_000);
    const since = under.clock.now().toISOString();
    const bad = await uploaded({ organisationId, says: 0.9 });
    const good = await uploaded({ organisationId });
    const names = async (query: Record<string, string>) =>
      new Set((await list({ organisationId, ...query })).pictures.map(({ contentHash }) => contentHash));
    expect(await names({})).toEqual(new Set([early, bad, good].map(({ contentHash }) => contentHash)));
    expect(await names({ since })).toEqual(new Set([bad.contentHash, good.contentHash]));
    expect(await names({ verdict: 'refused' })).toEqual(new Set([bad.contentHash]));
    expect(await names({ verdict: 'allowed', since })).toEqual(new Set([good.contentHash]));
    const inLive = await uploaded({ organisationId, says: 0.9, mode: 'LIVE' });
    expect(await names({ verdict: 'refused', mode: 'LIVE' })).toEqual(new Set([inLive.contentHash]));
  });

  it('lists page by page, each picture once, the latest upload first', async () => {
    const organisationId = 9_002;
    const expected: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      // Two of them in the same millisecond, one on either side of a page's end.
      if (index !== 3) under.clock.advance(1_000);
      expected.push((await uploaded({ organisationId })).contentHash);
    }
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: PicturesReply = await list({ organisationId, limit: 2, ...(cursor !== '' && { cursor }) });
      found.push(...page.pictures.map(({ contentHash }) => contentHash));
      cursor = page.nextCursor;
    }
    expect(found).toHaveLength(5);
    expect(new Set(found)).toEqual(new Set(expected));
    expect([found[0], found[3], found[4]]).toEqual([expected[4], expected[1], expected[0]]);
  });

  it.each(['verdict=maybe', 'mode=BOTH', 'since=yesterday', 'limit=0', 'cursor=x', 'organisationId=0'])(
    'refuses %s and says what is wrong',
    async (query) => {
      const { status, body } = await under.admin(`GET /pictures?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ message: expect.stringContaining(query.split('=')[0] ?? '') });
    },
  );
});

describe('GET /internal/verdicts/{clean_hash}', () => {
  const ofStored = async (cleanHash: string) => {
    const reply = await fetch(`${under.url}/internal/verdicts/${cleanHash}`, {
      headers: signedCaller({ audience: 'moderation' }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  const allowed = { status: 200, body: { verdict: 'allowed' } };

  it('allows a stored picture until a person blocks it or a picture of which it is a copy', async () => {
    const original = await scenePng((seeds += 1));
    const { contentHash } = await uploaded({ picture: original });
    const { cleanHash } = await show(contentHash);
    const brighter = await uploaded({ picture: await changes.brighter!(original) });
    const copy = await show(brighter.contentHash);
    expect(await ofStored(cleanHash)).toEqual(allowed);
    await under.admin('POST /rulings', ruling('block', contentHash));
    expect(await ofStored(cleanHash)).toEqual({
      status: 200,
      body: { verdict: 'refused', reason: 'the picture is blocked' },
    });
    expect(await ofStored(copy.cleanHash)).toMatchObject({
      body: { verdict: 'refused', reason: 'the picture looks like one that is blocked' },
    });
    await under.admin('POST /rulings', ruling('withdraw', contentHash));
    expect(await ofStored(cleanHash)).toEqual(allowed);
  });

  it('knows a picture under each hash that it ever had: another encoder cleans it to other bytes', async () => {
    const picture = await scenePng((seeds += 1));
    const { contentHash } = await uploaded({ picture });
    const { cleanHash } = await show(contentHash);
    const ofEarlierEncoder = sha256(Buffer.from('as an earlier encoder wrote it'));
    await using mongo = await openDatabase();
    const pictures = mongo.connection.collection<{ _id: string; cleanHash: string }>('pictures');
    await pictures.updateOne({ _id: contentHash }, { $set: { cleanHash: ofEarlierEncoder } });
    await uploaded({ picture });
    expect(await show(contentHash)).toMatchObject({ cleanHash, earlierCleanHashes: [ofEarlierEncoder] });
    for (const name of [cleanHash, ofEarlierEncoder]) {
      expect(await ofStored(name)).toEqual(allowed);
      expect((await under.admin('POST /rulings', ruling('block', name))).status).toBe(200);
      for (const stored of [cleanHash, ofEarlierEncoder])
        expect(await ofStored(stored)).toMatchObject({ body: { verdict: 'refused' } });
      await under.admin('POST /rulings', ruling('withdraw', contentHash));
    }
  });

  it('allows one that was never recorded, as a test picture, and asks for a hash and a caller', async () => {
    expect(await ofStored('0'.repeat(64))).toEqual(allowed);
    expect((await ofStored('x')).status).toBe(400);
    expect((await fetch(`${under.url}/internal/verdicts/${'0'.repeat(64)}`)).status).toBe(401);
  });
});

describe('GET /admin/pictures/{name}', () => {
  it('shows scores, model, thresholds and history', async () => {
    const { contentHash, organisationId } = await uploaded({ says: 0.7 });
    const judgedAt = under.clock.now().toISOString();
    under.clock.advance(1_000);
    await under.admin('POST /rulings', { ...ruling('allow', contentHash), reason: 'a tart' });
    under.clock.advance(1_000);
    await under.admin('POST /rulings', { ...ruling('block', contentHash), reason: 'no tart' }, { by: 'bo' });
    const record = await show(contentHash);
    expect(record).toMatchObject({
      contentHash,
      now: { verdict: 'refused', reason: 'blocked', ruling: { author: 'bo' } },
      copiesRecognised: true,
      uploaded: { type: 'png', frames: 1, uploads: 1, last: { organisationId, verdict: 'refused' } },
      verdicts: [
        {
          judgedAt,
          model: { name: 'test-model', version: '1' },
          thresholds: { explicit: 0.6, suggestive: 0.9 },
          current: true,
          verdict: 'refused',
          reason: 'explicit',
          looks: [{ explicit: 0.7, suggestive: 0.7, labels: { Odd: 0.7 } }],
        },
      ],
      rulings: [
        { author: 'bo', action: 'block', reason: 'no tart', at: under.clock.now().toISOString() },
        { author: 'ann', action: 'allow', reason: 'a tart' },
      ],
    });
    expect(await show(record.cleanHash)).toEqual(record);
  });

  it('names the block of another picture by which a copy is refused', async () => {
    const original = await scenePng((seeds += 1));
    await under.admin('POST /rulings', { ...ruling('block', original), reason: 'stolen' });
    const copy = await uploaded({ picture: await changes.brighter!(original) });
    const { now, rulings, verdicts } = await show(copy.contentHash);
    expect(now).toMatchObject({
      verdict: 'refused',
      reason: 'copy-of-blocked',
      ruling: { reason: 'stolen' },
    });
    expect(rulings).toEqual([now.ruling]);
    expect(verdicts).toEqual([]);
  });

  it('says when copies could not be recognised', async () => {
    const plain = sharp({ create: { width: 200, height: 200, channels: 3, background: '#abc' } });
    const { contentHash } = await uploaded({ picture: await plain.png().toBuffer() });
    expect((await show(contentHash)).copiesRecognised).toBe(false);
  });

  it('knows a picture that was only decided about, but none that never was', async () => {
    const { body } = await under.admin('POST /rulings', ruling('block', await scenePng((seeds += 1))));
    const decided = pictureReply.parse(body);
    expect(await show(decided.contentHash)).toMatchObject({ uploaded: null, verdicts: [], copyKept: false });
    expect((await under.admin(`GET /pictures/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await under.admin('GET /pictures/abc')).status).toBe(400);
  });
});

describe('the copy that is kept for review', () => {
  const copyOf = async (name: string) => {
    const { status, body } = await under.admin(`GET /pictures/${name}/copy`);
    return status === 200 ? Buffer.from(copyReply.parse(body).jpegBase64, 'base64') : status;
  };

  it('is small and is the picture that was refused', async () => {
    const large = await sharp(await scenePng((seeds += 1)))
      .resize({ width: 2_000 })
      .jpeg()
      .toBuffer();
    const { contentHash } = await uploaded({ picture: large, says: 0.8 });
    expect((await show(contentHash)).copyKept).toBe(true);
    const copy = (await copyOf(contentHash)) as Buffer;
    const { format, width, height } = await sharp(copy).metadata();
    expect({ format, width, height }).toEqual({ format: 'jpeg', width: 768, height: 576 });
    const [expected, found] = await Promise.all(
      [large, copy].map((picture) =>
        sharp(picture).resize(16, 16, { fit: 'fill' }).greyscale().raw().toBuffer(),
      ),
    );
    const furthest = Math.max(...expected!.map((shade, at) => Math.abs(shade - found![at]!)));
    expect(furthest).toBeLessThan(16);
  });

  it('shows every frame that was looked at', async () => {
    const frames = await Promise.all(Array.from({ length: 6 }, () => scenePng((seeds += 1))));
    const animation = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const { contentHash } = await uploaded({ picture: animation, says: 0.8 });
    const { width, height } = await sharp((await copyOf(contentHash)) as Buffer).metadata();
    expect({ width, height }).toEqual({ width: 4 * 240 + 3 * 8, height: 2 * 180 + 8 });
  });

  it('is not kept of allowed pictures, nor of what a person has blocked', async () => {
    const allowed = await uploaded();
    expect(await copyOf(allowed.contentHash)).toBe(404);
    const picture = await scenePng((seeds += 1));
    await under.admin('POST /rulings', ruling('block', picture));
    const blocked = await uploaded({ picture });
    expect(blocked.verdict).toBe('refused');
    expect(await copyOf(blocked.contentHash)).toBe(404);
  });

  it('is deleted 30 days after the last upload by MongoDB itself, and only the newest are kept', async () => {
    await using mongo = await openDatabase();
    const collection = mongo.connection.collection<{ _id: string; until: Date }>('copies');
    const { contentHash, picture, organisationId } = await uploaded({ says: 0.8 });
    under.clock.advance(3_600_000);
    await under.upload(picture, { organisationId });
    const until = new Date(under.clock.now().getTime() + 30 * 24 * 3_600_000);
    expect((await collection.findOne({ _id: contentHash }))?.until).toEqual(until);
    expect(await collection.indexes()).toContainEqual(
      expect.objectContaining({ key: { until: 1 }, expireAfterSeconds: 0 }),
    );
    const few = await startWhenStoresServe(() => openCopiesStore(mongo, 2));
    const days = (day: number) => new Date(Date.UTC(2095, 0, day));
    for (const [name, day] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ] as const)
      await eventually(() => few.keep(name, Buffer.of(1), days(day)));
    expect((await collection.find().sort({ until: 1 }).toArray()).map(({ _id }) => _id)).toEqual(['c', 'b']);
  });
});

describe('POST /admin/rulings', () => {
  it('keeps who decided what, when and why, and never forgets it', async () => {
    const { contentHash } = await uploaded();
    const decisions = [
      ['block', 'ann', 'complaint 17'],
      ['withdraw', 'bo', 'complaint withdrawn'],
      ['allow', 'cy', 'looked at it'],
    ] as const;
    for (const [action, author, reason] of decisions) {
      under.clock.advance(1_000);
      const { status } = await under.admin(
        'POST /rulings',
        { action, reason, name: contentHash, author: 'somebody else' },
        { by: author },
      );
      expect(status).toBe(200);
    }
    const { rulings } = rulingsReply.parse((await under.admin('GET /rulings?limit=3')).body);
    expect(rulings.map(({ action, author, reason }) => [action, author, reason])).toEqual(
      decisions.toReversed(),
    );
    expect(new Set(rulings.map(({ at }) => at)).size).toBe(3);
    const before = rulings.at(-1)?.number ?? 0;
    const older = rulingsReply.parse((await under.admin(`GET /rulings?limit=500&before=${before}`)).body);
    expect(older.rulings.map(({ number }) => number)).toEqual(
      Array.from({ length: before - 1 }, (_, index) => before - 1 - index),
    );
  });

  it('loses none of those that are made at the same moment by several replicas', async () => {
    const replicas = [under, await under.another(), await under.another()];
    const { contentHash } = await uploaded();
    const replies = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        replicas[index % 3]!.admin('POST /rulings', ruling('block', contentHash), { by: `a${index}` }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array<number>(12).fill(200));
    const { rulings } = await show(contentHash);
    expect(new Set(rulings.map(({ author }) => author)).size).toBe(12);
    expect(new Set(rulings.map(({ number }) => number)).size).toBe(12);
  });

  it('refuses to withdraw what nobody decided', async () => {
    const { contentHash } = await uploaded();
    const withdraw = () => under.admin('POST /rulings', ruling('withdraw', contentHash));
    expect((await withdraw()).status).toBe(409);
    await under.admin('POST /rulings', ruling('block', contentHash));
    expect((await withdraw()).status).toBe(200);
    expect((await withdraw()).status).toBe(409);
  });

  it('refuses a picture that nobody knows, and bytes that are none', async () => {
    expect((await under.admin('POST /rulings', ruling('block', 'f'.repeat(64)))).status).toBe(404);
    expect((await under.admin('POST /rulings', ruling('block', Buffer.from('no picture')))).status).toBe(400);
  });

  it.each([
    ['no reason', { reason: '' }, 'reason'],
    ['another action', { action: 'delete' }, 'action'],
    ['neither name nor picture', { name: undefined }, 'name'],
    ['both name and picture', { imageBase64: 'AAAA' }, 'name'],
  ])('refuses %s and names it', async (_what, change, field) => {
    const { status, body } = await under.admin('POST /rulings', {
      ...ruling('block', 'f'.repeat(64)),
      ...change,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ message: expect.stringContaining(field) });
  });
});

describe('the review routes', () => {
  it('are on the admin port alone', async () => {
    expect(await adminRoutesAtPublicPort(under, '/admin/pictures', '/admin/rulings')).toEqual([]);
  });

  it.each(['GET /pictures', 'GET /rulings', `GET /pictures/${'0'.repeat(64)}/copy`, 'POST /rulings'])(
    'want the credential: %s',
    async (call) => {
      expect((await under.admin(call, undefined, { token: 'wrong' })).status).toBe(401);
    },
  );
});
