/** Pictures in a folder that every replica shares. */
import { randomUUID } from 'node:crypto';
import { access, mkdir, open, opendir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageStore, isImageName, MARK, PAGE_OF_NAMES } from './images.ts';

export async function openImageFolder(folder: string): Promise<ImageStore> {
  await mkdir(folder, { recursive: true });
  const write = async (name: string, bytes: Uint8Array | string, signal?: AbortSignal) => {
    // A rename is atomic, so no reader ever gets half a picture.
    const unfinished = join(folder, `.${name}.${randomUUID()}`);
    try {
      await writeFile(unfinished, bytes, { flush: true, ...(signal && { signal }) });
      await rename(unfinished, join(folder, name));
    } catch (error) {
      await removeFile(unfinished).catch(() => {});
      throw error;
    }
    await flushFolder(folder);
  };
  return {
    put: write,
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
    list: async function* list() {
      let page: string[] = [];
      for await (const { name } of await opendir(folder)) {
        if (!isImageName(name) && !isUnfinished(name)) continue;
        page.push(name);
        if (page.length < PAGE_OF_NAMES) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
    readMark: async () => (await nullIfAbsent(readFile(join(folder, MARK), 'utf8'))) ?? absentFrom(folder),
    writeMark: (databaseId, signal) => write(MARK, databaseId, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** If the folder itself is missing, nothing is known about the picture, so this throws. */
async function absentFrom(folder: string): Promise<null> {
  await access(folder);
  return null;
}

/** Left by a process that died during the write. */
function isUnfinished(name: string): boolean {
  const picture = /^\.(.+)\.[0-9a-f-]{36}$/.exec(name)?.[1];
  return picture !== undefined && isImageName(picture);
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
