/** Cleaned pictures: kept by their content, served by signed addresses that expire. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PictureType } from './picture-types.ts';
import { extensions } from './picture-types.ts';

export type ImageStore = {
  /** Keeps the picture under a name made of its content, so that keeping it twice is keeping it once. */
  readonly keep: (picture: Uint8Array, type: PictureType) => Promise<string>;
  /** Null when there is none of that name. */
  readonly read: (name: string) => Promise<Buffer | null>;
};

export async function openImageFolder(folder: string): Promise<ImageStore> {
  await mkdir(folder, { recursive: true });
  return {
    keep: async (picture, type) => {
      const name = `${createHash('sha256').update(picture).digest('hex')}.${extensions[type]}`;
      // A rename is whole or not at all: nobody ever reads half a picture.
      const unfinished = join(folder, `.${name}.${randomUUID()}`);
      await writeFile(unfinished, picture, { flush: true });
      await rename(unfinished, join(folder, name));
      return name;
    },
    read: async (name) => {
      if (!isImageName(name)) return null;
      try {
        return await readFile(join(folder, name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

/** Nothing else is ever looked up in the folder, so no name can lead out of it. */
function isImageName(name: string): boolean {
  return /^[0-9a-f]{64}\.(jpg|png|gif)$/.test(name);
}

export type ImageAddresses = {
  readonly sign: (name: string, expiresAt: Date) => string;
  /** Whether we signed it and it has not expired. */
  readonly verify: (name: string, expires: string, signature: string, now: Date) => boolean;
};

export function imageAddresses(o: { secret: string; publicUrl: string }): ImageAddresses {
  const mac = (name: string, expires: string) =>
    createHmac('sha256', o.secret).update(`${name}\n${expires}`).digest();
  return {
    sign: (name, expiresAt) => {
      const expires = String(Math.ceil(expiresAt.getTime() / 1_000));
      const signature = mac(name, expires).toString('base64url');
      return `${o.publicUrl}/images/${name}?expires=${expires}&signature=${signature}`;
    },
    verify: (name, expires, signature, now) => {
      const given = Buffer.from(signature, 'base64url');
      const expected = mac(name, expires);
      const genuine = given.length === expected.length && timingSafeEqual(given, expected);
      return genuine && now.getTime() < Number(expires) * 1_000;
    },
  };
}

const HOUR_MS = 3_600_000;
const LISTED_HOURS = 24;

/** A day, counted from the next whole hour, so that browsers meet the same address again and keep the picture. */
export function listedAddressExpiry(now: Date): Date {
  return new Date((Math.ceil(now.getTime() / HOUR_MS) + LISTED_HOURS) * HOUR_MS);
}
