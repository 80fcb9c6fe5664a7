/** The same network in the same kind of thread, on TensorFlow.js' plain CPU backend. */
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { answerLooks } from '../../services/moderation/src/verdicts/answer-looks.ts';

if (!(await tf.setBackend('cpu'))) throw new Error('the CPU backend of TensorFlow.js does not start');
await answerLooks();
