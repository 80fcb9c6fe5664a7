/** A thread that reads the model for all others and ends, because reading needs several times the model's memory. */
import { parentPort } from 'node:worker_threads';
import { readNsfwjsModel } from './nsfwjs-model.ts';

parentPort?.postMessage(await readNsfwjsModel());
