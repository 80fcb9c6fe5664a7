import { whyNoPython } from './python-tools.ts';

const missing = await whyNoPython();

/**
 * For tests that need Python; nothing else in the repository does. In CI nothing is skipped: there the tests fail and say what is missing.
 * A worker loads this module once for all test files, so each of them chooses with its own `describe`.
 */
export const isPythonSkipped = missing !== null && process.env.CI !== 'true';
if (isPythonSkipped) console.warn(`${missing}: the tests of the Python client and of generators are not run`);
