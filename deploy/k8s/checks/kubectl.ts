/** The real renderer, where it is installed. */
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
/** Since version 5 it is the one that is meant. */
export const hasKustomize = /^Kustomize Version: v([5-9]|\d\d)/m.test(stdout ?? '');
