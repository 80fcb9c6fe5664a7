/** Pricing as a process, like its image's, on the MongoDB that was loaded. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { type Running, startProcess } from '../process.ts';

const directory = fileURLToPath(new URL('../../services/pricing', import.meta.url));
const nobody = 'http://127.0.0.1:9';
/** Ten million members are read from MongoDB in a minute or more. */
const READY_WITHIN_MS = 900_000;

export const contextSecret = randomBytes(24).toString('hex');

export type PricingProcess = Running & { readonly url: string; readonly readySeconds: number };

export async function startPricingProcess(o: {
  name: string;
  folder: string;
  env: Readonly<Record<string, string>> & { readonly MONGO_URL: string; readonly RABBITMQ_URL: string };
  nodeArgs?: readonly string[];
}): Promise<PricingProcess> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const running = await startProcess({
    name: o.name,
    folder: o.folder,
    cwd: directory,
    command: process.execPath,
    args: [...(o.nodeArgs ?? []), 'src/main.ts'],
    readyUrl: `${url}/readyz`,
    readyWithinMs: READY_WITHIN_MS,
    env: {
      NODE_ENV: 'production',
      PORT: `${port}`,
      PRICING_CONTEXT_SECRET: contextSecret,
      COUNT_STEPS_SECRET: contextSecret,
      ADMIN_TOKEN_HASHES: adminTokenHashes,
      // Estimates in pounds need no rates.
      RATES_URL: nobody,
      ...o.env,
    },
  });
  return { ...running, url, readySeconds: (performance.now() - began) / 1_000 };
}

/** The resident memory of the process, and its maximum. */
export function residentBytes(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { now: kib('VmRSS') * 1_024, most: kib('VmHWM') * 1_024 };
}
