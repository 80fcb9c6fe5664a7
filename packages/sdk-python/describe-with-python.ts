import { describe } from '@jest/globals';
import { whyNoPython } from './python-tools.ts';

const missing = await whyNoPython();
// In CI nothing is skipped: there the tests fail and say what is missing.
const isSkipped = missing !== null && process.env.CI !== 'true';
if (isSkipped) console.warn(`${missing}: the tests of the Python client and of generators are not run`);

/** For tests that need Python; nothing else in the repository does. */
export const describeWithPython = isSkipped ? describe.skip : describe;
