/** Where the command line finds the key and the address. The only reader of the environment. */
import { readFile, stat } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function environment(): Environment {
  return process.env;
}

export type Access = {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** What the user should know. */
  readonly warning?: string;
};

export async function accessFrom(
  env: Environment,
  flags: { readonly 'key-file'?: string; readonly 'base-url'?: string },
): Promise<Access> {
  const baseUrl = flags['base-url'] ?? env.OFFER_ADS_BASE_URL ?? '';
  if (baseUrl === '') {
    throw new UsageError(
      'Where is the service? Set OFFER_ADS_BASE_URL, or name it with --base-url https://ads.example.com',
    );
  }
  const keyFile = flags['key-file'] ?? env.OFFER_ADS_KEY_FILE;
  // What is said in the command itself comes before the environment.
  if (flags['key-file'] === undefined && (env.OFFER_ADS_API_KEY ?? '') !== '') {
    return { apiKey: env.OFFER_ADS_API_KEY ?? '', baseUrl };
  }
  if (keyFile === undefined || keyFile === '') {
    throw new UsageError(
      'Which key? Set OFFER_ADS_API_KEY, or name a file that holds nothing but the key: --key-file PATH or OFFER_ADS_KEY_FILE',
    );
  }
  const apiKey = await readKey(keyFile);
  const isOpen = process.platform !== 'win32' && ((await stat(keyFile)).mode & 0o077) !== 0;
  if (!isOpen) return { apiKey, baseUrl };
  return { apiKey, baseUrl, warning: `Others on this machine may read the key: chmod 600 ${keyFile}` };
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError(`The key file ${path} cannot be read (${code ?? 'unknown error'})`);
  }
}
