/** `npm run promise`: run it after a release. Stores the event schemas with which the next release must be compatible (compatibility.ts). */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../..');
await rm(join(folder, 'promised'), { recursive: true, force: true });
await cp(join(folder, 'generated', 'events'), join(folder, 'promised'), { recursive: true });
