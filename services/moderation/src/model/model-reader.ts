/** A thread that reads the model for all others and ends: what reading takes on the way is several times the model. */
import { parentPort } from 'node:worker_threads';
import { readNsfwjsModel } from './nsfwjs-model.ts';

parentPort?.postMessage(await readNsfwjsModel());
