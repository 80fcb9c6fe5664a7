/** Finds the key and the address of the service. Only this file reads the environment. */
import { readFile, stat } from 'node:fs/promises';
import { UsageError } from './arguments.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function environment(): Environment {
  return process.env;
}

export type Access = {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** A warning for the user. */
  readonly warning?: string;
};

export async function accessFrom(
  env: Environment,
  flags: { readonly 'key-file'?: string; readonly 'base-url'?: string },
): Promise<Access> {
  const baseUrl = flags['base-url'] ?? env.OFFER_ADS_BASE_URL ?? '';
  if (baseUrl === '') {
    throw new UsageError(
      'The address of the service is missing. Set OFFER_ADS_BASE_URL, or add --base-url https://ads.example.com',
    );
  }
  const keyFile = flags['key-file'] ?? env.OFFER_ADS_KEY_FILE;
  // Options of the command take precedence over the environment.
  if (flags['key-file'] === undefined && (env.OFFER_ADS_API_KEY ?? '') !== '') {
    return { apiKey: env.OFFER_ADS_API_KEY ?? '', baseUrl };
  }
  if (keyFile === undefined || keyFile === '') {
    throw new UsageError(
      'The API key is missing. Set OFFER_ADS_API_KEY, or name a file that contains only the key: --key-file PATH or OFFER_ADS_KEY_FILE',
    );
  }
  const apiKey = await readKey(keyFile);
  const isOpen = process.platform !== 'win32' && ((await stat(keyFile)).mode & 0o077) !== 0;
  if (!isOpen) return { apiKey, baseUrl };
  return {
    apiKey,
    baseUrl,
    warning: `Other users of this machine can read the key; run: chmod 600 ${keyFile}`,
  };
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError(`The key file ${path} cannot be read (${code ?? 'unknown error'})`);
  }
}
