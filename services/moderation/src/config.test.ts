import { expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { readModerationConfig } from './config.ts';

const required = {
  MONGO_URL: 'mongodb://mongo:27017/moderation',
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  MODERATION_CONTEXT_SECRET: 'x'.repeat(32),
};

it("moderation's settings have defaults, and all that are wrong are named at once", () => {
  expect(readModerationConfig(required)).toMatchObject({ EXPLICIT_THRESHOLD: 0.6, MAX_WAITING: 32 });
  const wrong = { MAX_WAITING: 'many', EXPLICIT_THRESHOLD: '60 %', PICTURES_AT_ONCE: '0' };
  for (const name of Object.keys(wrong))
    expect(() => readModerationConfig({ ...required, ...wrong })).toThrow(name);
});
