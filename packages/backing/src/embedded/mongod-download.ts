/**
 * Prints the path of a mongod that mongodb-memory-server-core downloaded, or had downloaded before. A process of its
 * own, because the library cannot be told to give up: whoever wants a bound ends the process.
 */
import { MongoBinary } from 'mongodb-memory-server-core';
import { cacheFolder } from '../cache-folder.ts';
import { mongoVersion } from '../docker/containers.ts';

const path = await MongoBinary.getPath({ version: mongoVersion, downloadDir: cacheFolder() });
process.stdout.write(path);
