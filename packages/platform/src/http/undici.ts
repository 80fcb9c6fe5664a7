/**
 * Undici's connections without `fetch`, web sockets, caches and mocks. Its main module loads these too: 3 MB of memory and 50 ms of
 * processor at the start of each service.
 */
import { createRequire } from 'node:module';
import type undici from 'undici';

const require = createRequire(import.meta.url);

export const Agent = require('undici/lib/dispatcher/agent.js') as typeof undici.Agent;
export const Pool = require('undici/lib/dispatcher/pool.js') as typeof undici.Pool;
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js') as typeof undici.Dispatcher;
const request = require('undici/lib/api/api-request.js') as undici.Dispatcher['request'];

// As the main module does, which adds further methods.
Object.assign(Dispatcher.prototype, { request });
