/**
 * A thread of its own for the model, so that its arithmetic never holds up health checks and other uploads, and a crash
 * of the WASM backend costs one picture.
 */
// The parts of TensorFlow.js that are needed: the whole, which `nsfwjs/core` imports, takes far more in each thread.
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { answerLooks } from '../verdicts/answer-looks.ts';

// One thread a model; the service runs as many models as it wants cores busy.
tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
if (!(await tf.setBackend('wasm'))) throw new Error('the WASM backend of TensorFlow.js does not start');
await answerLooks();
