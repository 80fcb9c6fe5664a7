/** The memory of opened pictures. One limit per process, however many pictures are open at once. */
import { maxHeldBytes } from '../domain/picture-limits.ts';
import { createMemoryGate } from './memory-gate.ts';

export const pictureMemory = createMemoryGate(maxHeldBytes);
