/** `npm run promise`: once a release runs everywhere, its events are what the next one must not break (compatibility.ts). */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../..');
await rm(join(folder, 'promised'), { recursive: true, force: true });
await cp(join(folder, 'generated', 'events'), join(folder, 'promised'), { recursive: true });
