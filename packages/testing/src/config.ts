/** Settings of tests. Only this file reads `process.env`. */

export type StoreAddresses = {
  readonly postgres?: string | undefined;
  readonly mongo?: string | undefined;
  readonly rabbitmq?: string | undefined;
  readonly valkey?: string | undefined;
};

/** Addresses that a person gave or, after the global setup, those of the stores that it started. */
export function storeAddresses(): StoreAddresses {
  return {
    postgres: process.env.TEST_POSTGRES_URL,
    mongo: process.env.TEST_MONGO_URL,
    rabbitmq: process.env.TEST_RABBITMQ_URL,
    valkey: process.env.TEST_VALKEY_URL,
  };
}

/** Jest's workers inherit the environment of the process that ran global setup. */
export function handToWorkers(addresses: { [store in keyof StoreAddresses]-?: string | undefined }): void {
  process.env.TEST_POSTGRES_URL = addresses.postgres;
  process.env.TEST_MONGO_URL = addresses.mongo;
  process.env.TEST_RABBITMQ_URL = addresses.rabbitmq;
  if (addresses.valkey !== undefined) process.env.TEST_VALKEY_URL = addresses.valkey;
}

export function requireAddress(store: keyof StoreAddresses): string {
  const address = storeAddresses()[store];
  if (address === undefined) {
    throw new Error(
      `No address of ${store}: is this file under test/ or named *.int.test.ts? Only those get the stores.` +
        (store === 'valkey'
          ? ' Or none was found: the first lines of the run say where it was looked for.'
          : ''),
    );
  }
  return address;
}

/** Options of `npm run images` for the test that builds the images, where the public base images cannot be had. */
export const imagesOptions: readonly string[] =
  process.env.TEST_IMAGES_OPTIONS?.split(' ').filter(Boolean) ?? [];

/** `small` in `npm test` (minutes), `long` in `npm run test:long`. */
export const testProfile: 'small' | 'long' = process.env.TEST_PROFILE === 'long' ? 'long' : 'small';

/** Where Node keeps compiled modules: the `jest` script of package.json sets it. For processes that get an environment of their own. */
export function compileCacheOfRun(): { readonly NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
