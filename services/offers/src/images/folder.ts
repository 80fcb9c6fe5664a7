/** Pictures in a folder that every replica shares. */
import { randomUUID } from 'node:crypto';
import { access, mkdir, open, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageStore } from './images.ts';

export async function openImageFolder(folder: string): Promise<ImageStore> {
  await mkdir(folder, { recursive: true });
  return {
    put: async (name, picture, signal) => {
      // A rename is atomic, so no reader ever gets half a picture.
      const unfinished = join(folder, `.${name}.${randomUUID()}`);
      try {
        await writeFile(unfinished, picture, { flush: true, signal });
        await rename(unfinished, join(folder, name));
      } catch (error) {
        await removeFile(unfinished).catch(() => {});
        throw error;
      }
      await flushFolder(folder);
    },
    read: async (name) => {
      const file = await nullIfAbsent(open(join(folder, name)));
      if (file === null) return absentFrom(folder);
      try {
        const { size } = await file.stat();
        return { sizeBytes: size, bytes: file.createReadStream() };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    remove: (name) => removeFile(join(folder, name)),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** If the folder itself is missing, nothing is known about the picture, so this throws. */
async function absentFrom(folder: string): Promise<null> {
  await access(folder);
  return null;
}

/** Without this, a power failure may lose the new name, though not the bytes. */
async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

async function removeFile(path: string): Promise<void> {
  await nullIfAbsent(unlink(path));
}

async function nullIfAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
