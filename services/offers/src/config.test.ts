import { describe, expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { imageStoreOf, readOffersConfig } from './config.ts';

const secret = '0123456789abcdef0123456789abcdef';
const whole = {
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  RABBITMQ_URL: 'amqp://localhost',
  OFFERS_DATABASE_URL: 'postgres://localhost/offers',
  PRICING_URL: 'http://pricing',
  BILLING_URL: 'http://billing',
  MODERATION_URL: 'http://moderation',
  OFFERS_CONTEXT_SECRET: secret,
  PRICING_CONTEXT_SECRET: secret,
  BILLING_CONTEXT_SECRET: secret,
  MODERATION_CONTEXT_SECRET: secret,
  PUBLIC_URL: 'https://offers.example',
  IMAGE_URL_SECRET: secret,
  PLACEMENT_TOKEN_SECRET: secret,
  IMAGE_STORE_URL: 'file:///data/images',
};
const bucket = {
  IMAGE_STORE_URL: 's3://pictures',
  S3_ENDPOINT: 'https://s3.example/',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'a-secret',
};

describe('the settings of offers', () => {
  it('that are missing are all reported together', () => {
    expect(() => readOffersConfig({})).toThrow(
      /ADMIN_TOKEN[\s\S]*RABBITMQ_URL[\s\S]*OFFERS_DATABASE_URL[\s\S]*IMAGE_URL_SECRET[\s\S]*PLACEMENT_TOKEN_SECRET[\s\S]*IMAGE_STORE_URL/,
    );
  });
});

describe('the store of pictures', () => {
  it.each([
    ['file:///data/images', '/data/images'],
    ['file:///data/the%20images/', '/data/the images/'],
  ])('%s is a folder, and needs no S3 settings', (url, folder) => {
    const config = readOffersConfig({ ...whole, IMAGE_STORE_URL: url });
    expect(imageStoreOf(config)).toEqual({ kind: 'folder', folder });
  });

  const usual = ['us-east-1', true] as const;
  it.each<[url: string, prefix: string, more: object, region: string, pathStyle: boolean]>([
    ['s3://pictures', '', {}, ...usual],
    ['s3://pictures/offers/live', 'offers/live/', {}, ...usual],
    ['s3://pictures/', '', { S3_REGION: 'eu-west-1', S3_PATH_STYLE: 'false' }, 'eu-west-1', false],
  ])('%s is a bucket', (url, prefix, more, region, pathStyle) => {
    const config = readOffersConfig({ ...whole, ...bucket, ...more, IMAGE_STORE_URL: url });
    expect(imageStoreOf(config)).toEqual({
      kind: 'bucket',
      bucket: 'pictures',
      prefix,
      endpoint: 'https://s3.example',
      region,
      pathStyle,
      accessKeyId: 'id',
      secretAccessKey: 'a-secret',
    });
  });

  it('in a bucket needs an endpoint and a key, reported together with all other problems', () => {
    expect(() => readOffersConfig({ IMAGE_STORE_URL: 's3://pictures' })).toThrow(
      /ADMIN_TOKEN_HASHES is missing[\s\S]*S3_ENDPOINT is missing[\s\S]*S3_ACCESS_KEY_ID is missing[\s\S]*S3_SECRET_ACCESS_KEY is missing/,
    );
  });

  it('is refused with a key that ends with a line break, as files do; the message has the name and not the value', () => {
    for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) {
      const read = () => readOffersConfig({ ...whole, ...bucket, [name]: 'copied-from-a-file\n' });
      expect(read).toThrow(`${name}: must be printable characters without spaces or line breaks`);
      expect(read).not.toThrow('copied-from-a-file');
    }
  });

  it.each([
    '/data/images',
    'file://images',
    'file:///',
    's3://',
    's3://Pictures',
    's3://pictures//x',
    'https://s3.example/pictures',
    '',
  ])('%j is refused, and the message says what is allowed', (url) => {
    expect(() => readOffersConfig({ ...whole, IMAGE_STORE_URL: url })).toThrow(
      /IMAGE_STORE_URL.*must be file:\/\/\/folder .* or s3:\/\/bucket or s3:\/\/bucket\/prefix/,
    );
  });
});
