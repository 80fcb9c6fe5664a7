import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import sharp from 'sharp';
import { sha256 } from '../src/verdicts/judge-picture.ts';
import { moderationUnderTest, ruling } from './moderation-under-test.ts';
import { changes, scenePng } from './scenes.ts';

const under = forAllTests(() => moderationUnderTest({ PICTURES_AT_ONCE: 4 }));
beforeEach(() => {
  Object.assign(under.model, { says: 0.1, gate: Promise.resolve(), asked: 0 });
});

/** Each test has scenes of its own. */
let seeds = 0;
const newScene = () => scenePng((seeds += 1));
const decide = async (...of: Parameters<typeof ruling>) => {
  const { status } = await under.admin('POST /rulings', ruling(...of));
  expect(status).toBe(200);
};
const blank = (background: string) =>
  sharp({ create: { width: 300, height: 200, channels: 3, background } })
    .png()
    .toBuffer();

describe('a picture that a person has blocked', () => {
  it('is refused from then on, in either mode, though it was allowed and the model finds it safe', async () => {
    const picture = await newScene();
    await under.upload(picture);
    await decide('block', sha256(picture));
    for (const mode of ['TEST', 'LIVE'] as const)
      expect(await under.upload(picture, { mode })).toEqual({
        verdict: 'refused',
        reason: 'the picture is blocked',
      });
    expect(under.model.asked).toBe(1);
  });

  it('is refused in changed copies', async () => {
    const picture = await newScene();
    await decide('block', picture);
    for (const how of [
      'encoded anew badly',
      'half as large',
      'brighter',
      'cropped by 3 % at each edge',
      'in a mirror',
    ])
      expect([how, await under.upload(await changes[how]!(picture))]).toMatchObject([
        how,
        { verdict: 'refused', reason: 'the picture looks like one that is blocked' },
      ]);
    expect((await under.upload(await newScene())).verdict).toBe('allowed');
  });

  it('needs not have been uploaded before, and is refused while the model is away', async () => {
    const [blocked, other] = [await newScene(), await newScene()];
    await decide('block', blocked);
    under.model.says = null;
    expect((await under.upload(blocked)).verdict).toBe('refused');
    // MongoDB that does not answer in time is a 503 too, before the model is asked.
    await eventually(async () => {
      expect(await under.uploadStatus(other)).toBe(503);
      expect(under.model.asked).toBe(1);
    });
  });

  it('is blocked as members see it too: by the file or the name of its cleaned picture', async () => {
    const [one, other] = [await newScene(), await newScene()];
    const shown = await Promise.all(
      [one, other].map(async (picture) => {
        const reply = await under.upload(picture);
        if (reply.verdict !== 'allowed') throw new Error(`expected allowed, got ${reply.verdict}`);
        return reply.bytes;
      }),
    );
    await decide('block', shown[0]!);
    await decide('block', sha256(shown[1]!));
    for (const picture of [one, other])
      expect(await under.upload(picture)).toMatchObject({ reason: 'the picture is blocked' });
  });

  it('is refused by every replica as soon as the command has answered', async () => {
    const replica = await under.another();
    const picture = await newScene();
    expect((await replica.upload(picture)).verdict).toBe('allowed');
    await decide('block', picture);
    expect((await replica.upload(picture)).verdict).toBe('refused');
    await decide('withdraw', picture);
    expect((await replica.upload(picture)).verdict).toBe('allowed');
  });

  it('is refused to whose upload the model was looking at when it was blocked', async () => {
    const picture = await newScene();
    const { promise, resolve } = Promise.withResolvers<void>();
    under.model.gate = promise;
    const uploaded = under.upload(picture);
    await eventually(() => expect(under.model.asked).toBe(1));
    await decide('block', picture);
    resolve();
    expect((await uploaded).verdict).toBe('refused');
  });

  it('is not allowed while MongoDB is away, because it may have been blocked meanwhile', async () => {
    const picture = await newScene();
    expect((await under.upload(picture)).verdict).toBe('allowed');
    under.wire.takeDown();
    try {
      expect(await under.uploadStatus(picture)).toBe(503);
    } finally {
      under.wire.bringBack();
    }
    await eventually(async () => expect(await under.uploadStatus(picture)).toBe(200));
  });

  it('is judged by the model again when the block is withdrawn', async () => {
    const picture = await newScene();
    await decide('block', picture);
    expect((await under.upload(picture)).verdict).toBe('refused');
    await decide('withdraw', picture);
    expect((await under.upload(picture)).verdict).toBe('allowed');
    expect(under.model.asked).toBe(1);
  });

  it('if it is plain, is refused itself, and no other plain picture is', async () => {
    const white = await blank('#fff');
    await decide('block', white);
    expect((await under.upload(white)).verdict).toBe('refused');
    expect((await under.upload(await blank('#fefefe'))).verdict).toBe('allowed');
    expect((await under.upload(await blank('#114'))).verdict).toBe('allowed');
  });

  it('is found in a long animation, however few frames show it and for however short a time', async () => {
    const [blocked, first, second] = [await newScene(), await newScene(), await newScene()];
    await decide('block', blocked);
    const small = (picture: Buffer) => sharp(picture).resize({ width: 60 }).png({ palette: true }).toBuffer();
    const [odd, even, short] = await Promise.all([first, second, blocked].map(small));
    const shown = async (from: number, count: number) => {
      const frames = Array.from({ length: 50 }, (_, index) =>
        index >= from && index < from + count ? short : index % 2 === 0 ? even : odd,
      ).filter((frame) => frame !== undefined);
      const delay = frames.map((frame) => (frame === short ? 20 : 500));
      const animation = sharp(frames, { join: { animated: true } }).gif({ delay, effort: 1, dither: 0 });
      return (await under.upload(await animation.toBuffer())).verdict;
    };
    expect([await shown(1, 13), await shown(42, 1), await shown(0, 0)]).toEqual([
      'refused',
      'refused',
      'allowed',
    ]);
  });

  it('is found in any frame of an animation, and an animation by any of its frames', async () => {
    const [first, second, third] = [await newScene(), await newScene(), await newScene()];
    const animation = (frames: Buffer[]) =>
      sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer();
    await decide('block', first);
    expect((await under.upload(await animation([second, third, first]))).verdict).toBe('refused');
    expect((await under.upload(await animation([second, third]))).verdict).toBe('allowed');
    await decide('block', await animation([second, third]));
    expect((await under.upload(third)).verdict).toBe('refused');
  });

  it('is found on whatever a transparent picture is shown', async () => {
    const picture = await newScene();
    await decide('block', picture);
    const transparent = await sharp(picture)
      .ensureAlpha()
      .composite([
        {
          input: Buffer.from([0, 0, 0, 255]),
          raw: { width: 1, height: 1, channels: 4 },
          left: 0,
          top: 0,
          blend: 'dest-out',
        },
      ])
      .png()
      .toBuffer();
    expect((await under.upload(transparent)).verdict).toBe('refused');
  });
});

describe('a picture that a person has allowed', () => {
  it('is allowed at its next upload, though the model finds it unsafe', async () => {
    const picture = await newScene();
    under.model.says = 0.95;
    await under.upload(picture);
    await decide('allow', sha256(picture));
    expect((await under.upload(picture)).verdict).toBe('allowed');
    expect(under.model.asked).toBe(1);
  });

  it('says nothing about its copies: those the model judges', async () => {
    const picture = await newScene();
    under.model.says = 0.95;
    await decide('allow', picture);
    expect((await under.upload(picture)).verdict).toBe('allowed');
    expect((await under.upload(await changes.brighter!(picture))).verdict).toBe('refused');
  });

  it('is refused when one that it is a copy of is blocked later, until it is allowed again', async () => {
    const picture = await newScene();
    const copy = await changes.darker!(picture);
    await decide('allow', copy);
    await decide('block', picture);
    expect((await under.upload(copy)).verdict).toBe('refused');
    await decide('allow', copy);
    expect((await under.upload(copy)).verdict).toBe('allowed');
    expect((await under.upload(picture)).verdict).toBe('refused');
  });
});

describe('a picture that is uploaded several times at once', () => {
  it('gets one verdict, although the model may look at other frames each time', async () => {
    const picture = await newScene();
    const { promise, resolve } = Promise.withResolvers<void>();
    under.model.gate = promise;
    const replies = Array.from({ length: 4 }, () => under.upload(picture));
    await eventually(() => expect(under.model.asked).toBe(4));
    resolve();
    under.model.says = 0.9;
    await Promise.race(replies);
    under.model.says = 0.1;
    const verdicts = new Set((await Promise.all(replies)).map(({ verdict }) => verdict));
    expect(verdicts.size).toBe(1);
  });
});
