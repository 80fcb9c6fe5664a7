/** The peer of a service: express with one route, and nothing else. PORT comes from the environment. */
import express from 'express';

express()
  .get('/', (_req, res) => void res.json({}))
  .listen(Number(process.env.PORT), '127.0.0.1');
