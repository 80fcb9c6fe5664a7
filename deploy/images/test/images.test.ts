/**
 * Builds all images and starts each, where Docker is. `TEST_IMAGES_OPTIONS` has options for `npm run images` where the public base images
 * cannot be had, such as `--node-image registry.example/node:24-bookworm-slim`.
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import { imagesOptions } from '@offer-ads/testing/config';

/** An installation without images takes a quarter of an hour on two cores. */
const builtWithinMs = 1_800_000;
const tag = `test-${process.pid}`;
const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 26 });

const hasDocker = run('docker', 'info').status === 0;
if (!hasDocker) console.warn('No image is built: Docker does not answer');

(hasDocker ? describe : describe.skip)('the images', () => {
  beforeAll(() => {
    const built = run(process.execPath, 'deploy/images/build.ts', '--tag', tag, ...imagesOptions);
    if (built.status !== 0) throw new Error(`${built.stdout}\n${built.stderr}`);
  }, builtWithinMs);
  afterAll(() => {
    const images = [...serviceNames, 'simulators'].map((name) => `offer-ads/${name}:${tag}`);
    run('docker', 'image', 'rm', ...images);
  });

  it.each(serviceNames)('%s starts, reads its settings, and names those that are missing', (name) => {
    const image = `offer-ads/${name}:${tag}`;
    const restricted = ['--network', 'none', '--read-only', '--user', '1000:1000'];
    const { status, stderr } = run('docker', 'run', '--rm', ...restricted, image);
    expect(stderr).toMatch(/ADMIN_TOKEN_HASHES/);
    // EX_CONFIG of sysexits.h
    expect(status).toBe(78);
  });
});
