/** What a thread does that holds a model, on whichever backend of TensorFlow.js it has chosen. */
import { parentPort, workerData } from 'node:worker_threads';
import { lookSide } from '../domain/looks.ts';
import type { ScoreReply, ScoreRequest } from '../model/model-thread.ts';
import { createNetwork } from '../model/network.ts';
import type { NsfwjsModel } from '../model/nsfwjs-model.ts';

export async function answerLooks(): Promise<void> {
  const { steps, inputName } = workerData as NsfwjsModel;
  const network = createNetwork(steps, inputName, lookSide);
  // The first run compiles; better now than while an advertiser waits.
  await network.outputs(new Uint8Array(lookSide * lookSide * 3));

  async function answer({ looks }: ScoreRequest): Promise<void> {
    const outputs: (readonly number[])[] = [];
    for (const look of looks) outputs.push(await network.outputs(look));
    parentPort?.postMessage({ outputs } satisfies ScoreReply);
  }
  // A failure rejects without anybody to catch it, which ends the thread: it is replaced, and the picture gets its 503.
  parentPort?.on('message', (request: ScoreRequest) => void answer(request));
  parentPort?.postMessage('ready');
}
