import { describe, expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { modelOf, readModerationConfig } from './config.ts';

const required = {
  MONGO_URL: 'mongodb://mongo:27017/moderation',
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  MODERATION_CONTEXT_SECRET: 'x'.repeat(32),
};

describe("moderation's settings", () => {
  it('look with our own model unless they say otherwise', () => {
    const config = readModerationConfig({ ...required, REKOGNITION_REGION: 'eu-west-1' });
    expect(modelOf(config)).toEqual({ kind: 'nsfwjs' });
  });

  it('name all that rekognition needs at once, beside every other problem', () => {
    const names = ['REKOGNITION_REGION', 'REKOGNITION_ACCESS_KEY_ID', 'REKOGNITION_SECRET_ACCESS_KEY'];
    const model = 'rekognition';
    const read = () => readModerationConfig({ ...required, MODERATION_MODEL: model, MAX_WAITING: 'many' });
    for (const name of [...names, 'MAX_WAITING']) expect(read).toThrow(name);
    const keys = Object.fromEntries(names.map((name) => [name, `the-${name}`]));
    const config = readModerationConfig({ ...required, ...keys, MODERATION_MODEL: model });
    const settings = Object.values(modelOf(config));
    for (const name of names) expect(settings).toContain(`the-${name}`);
  });

  it('refuse a key with a line break, which would be quoted where it is sent', () => {
    expect(() =>
      readModerationConfig({
        ...required,
        MODERATION_MODEL: 'rekognition',
        REKOGNITION_SECRET_ACCESS_KEY: 'secret-key\n',
      }),
    ).toThrow('REKOGNITION_SECRET_ACCESS_KEY: must be printable characters without spaces or line breaks');
  });

  it('name the models when another is asked for', () => {
    expect(() => readModerationConfig({ ...required, MODERATION_MODEL: 'clarifai' })).toThrow(
      'must be nsfwjs or rekognition',
    );
  });
});
