/** The code of a model thread, on whichever backend of TensorFlow.js it has chosen. */
import { parentPort, workerData } from 'node:worker_threads';
import { lookSide } from '../domain/looks.ts';
import type { ScoreReply, ScoreRequest } from '../model/model-thread.ts';
import { createNetwork } from '../model/network.ts';
import type { NsfwjsModel } from '../model/nsfwjs-model.ts';

export async function answerLooks(): Promise<void> {
  const { steps, inputName } = workerData as NsfwjsModel;
  const network = createNetwork(steps, inputName, lookSide);
  // The first run compiles the network, so it is done before a picture waits for it.
  await network.outputs(new Uint8Array(lookSide * lookSide * 3));

  async function answer({ looks }: ScoreRequest): Promise<void> {
    const outputs: (readonly number[])[] = [];
    for (const look of looks) outputs.push(await network.outputs(look));
    parentPort?.postMessage({ outputs } satisfies ScoreReply);
  }
  // A failure rejects without a handler, which ends the thread: it is replaced, and the picture gets a 503.
  parentPort?.on('message', (request: ScoreRequest) => void answer(request));
  parentPort?.postMessage('ready');
}
