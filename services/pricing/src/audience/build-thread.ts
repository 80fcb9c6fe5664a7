/** The thread of `build-in-thread.ts`: builds one grid. */
import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { startGridBuild } from './build-grid.ts';
import type { BuildInput, BuildTask, BuildUpdate } from './build-in-thread.ts';

const task = workerData as BuildTask;
const port = parentPort;
if (port === null) throw new Error('this file runs in a thread');
const send = (update: BuildUpdate) => port.postMessage(update);

if ('mongoUrl' in task) {
  const build = startGridBuild();
  // Only here: most grids are built without MongoDB.
  const { readEverybody } = await import('./members-feed-store.ts');
  let unreadable = 0;
  const isUnreadable = () => (unreadable += 1);
  for await (const expected of readEverybody(task.mongoUrl, build.add, isUnreadable))
    send({ read: build.members(), expected });
  send({ unreadable });
  send({ grid: build.finish() });
} else {
  // Counts come first. Elsewhere than on Linux, this would be the priority of the whole process.
  if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const build = startGridBuild(task.older);
  port.on('message', (members: BuildInput) => {
    if (members === null) send({ grid: build.finish() });
    else for (const member of members) build.add(member);
  });
}
