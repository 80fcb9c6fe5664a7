/**
 * A separate thread for the model, so that its computation does not delay health checks and other uploads, and a crash of the WASM backend
 * costs only one picture.
 */
// Only the needed parts of TensorFlow.js: the whole, which `nsfwjs/core` imports, takes far more memory in each thread.
import '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { answerLooks } from '../verdicts/answer-looks.ts';

// One thread per model; the service runs as many models as it may use cores.
tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
if (!(await tf.setBackend('wasm'))) throw new Error('the WASM backend of TensorFlow.js does not start');
await answerLooks();
