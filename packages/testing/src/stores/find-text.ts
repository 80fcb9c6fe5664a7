/** Searches whole stores for a text, for tests that nothing of a person is left. */
import { MongoClient } from 'mongodb';
import pg from 'pg';

type Queryable = {
  readonly query: (
    sql: string,
    values?: unknown[],
  ) => Promise<{ readonly rows: readonly { name: string }[] }>;
};
type Database = {
  readonly listCollections: () => { readonly toArray: () => Promise<readonly { readonly name: string }[]> };
  readonly collection: (name: string) => {
    readonly find: () => { readonly toArray: () => Promise<readonly object[]> };
  };
};

/** The tables of a Postgres database with a row that contains the text, in any case. */
export async function tablesWith(db: Queryable, text: string): Promise<string[]> {
  const { rows } = await db.query(
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hits = await db.query(
      `SELECT '' AS name FROM ${name} AS row WHERE strpos(lower(row::text), lower($1)) > 0 LIMIT 1`,
      [text],
    );
    if (hits.rows.length > 0) found.push(name);
  }
  return found;
}

/** The same for the collections of a MongoDB database. */
export async function collectionsWith(db: Database, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await db.listCollections().toArray()) {
    const documents = await db.collection(name).find().toArray();
    if (JSON.stringify(documents).toLowerCase().includes(text.toLowerCase())) found.push(name);
  }
  return found.toSorted();
}

/** By service, the addresses of databases in Postgres and in MongoDB. */
type Stores = {
  readonly databases: Readonly<Record<string, string>>;
  readonly mongo: Readonly<Record<string, string>>;
};

/** The tables and collections of all services with the text, as `gateway people`. */
export async function placesWith({ databases, mongo }: Stores, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const [service, url] of Object.entries(databases)) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const table of await tablesWith(client, text)) found.push(`${service} ${table}`);
    } finally {
      await client.end();
    }
  }
  for (const [service, url] of Object.entries(mongo)) {
    const client = new MongoClient(url);
    try {
      for (const collection of await collectionsWith(client.db(), text))
        found.push(`${service} ${collection}`);
    } finally {
      await client.close();
    }
  }
  return found;
}
