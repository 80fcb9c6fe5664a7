/**
 * Prints the path of the mongod that mongodb-memory-server-core downloads, now or before. This is a process of its own, because the
 * library has no time-out: the parent ends the process.
 */
import { MongoBinary } from 'mongodb-memory-server-core';
import { cacheFolder } from '../cache-folder.ts';
import { mongoVersion } from '../docker/containers.ts';

const path = await MongoBinary.getPath({ version: mongoVersion, downloadDir: cacheFolder() });
process.stdout.write(path);
