/** Jest calls this once per run, after the last integration test. */
export { stopRunBacking as default } from '../stores/run-backing.ts';
