/** What opened pictures hold: of the process, as its memory is, however many pictures are worked on at once. */
import { mostHeldBytes } from '../domain/picture-limits.ts';
import { createMemoryGate } from './memory-gate.ts';

export const pictureMemory = createMemoryGate(mostHeldBytes);
