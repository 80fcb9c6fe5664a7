/** The peer of a service: express with one route and a connection to Postgres. PORT and DATABASE_URL come from the environment. */
import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

express()
  .get('/', async (_req, res) => void res.json((await pool.query('SELECT 1 AS one')).rows))
  .listen(Number(process.env.PORT), '127.0.0.1');
