import { describe, expect, it } from '@jest/globals';
import { readOffersConfig } from './config.ts';

describe('the settings of offers', () => {
  it('are all asked for at once', () => {
    expect(() => readOffersConfig({})).toThrow(
      /ADMIN_TOKEN[\s\S]*RABBITMQ_URL[\s\S]*OFFERS_DATABASE_URL[\s\S]*IMAGE_URL_SECRET[\s\S]*IMAGE_STORE_URL/,
    );
  });
});
