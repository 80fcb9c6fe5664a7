import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findingsOf, type Rule, rules, statementsOf } from './rules.ts';

const repository = join(import.meta.dirname, '../..');
const folders = ['packages/platform', 'services/gateway', 'services/offers', 'services/billing'];
const files = folders.flatMap((folder) =>
  readdirSync(join(repository, folder, 'migrations')).map((name) => join(folder, 'migrations', name)),
);

describe('migrations', () => {
  it.each(files)('%s runs beside the release before it', (file) => {
    const findings = findingsOf(readFileSync(join(repository, file), 'utf8'));
    expect(findings.map(({ rule, statement }) => `${statement}: ${rules[rule]}`)).toEqual([]);
  });
});

describe('a statement', () => {
  const brokenRules = (sql: string) => findingsOf(sql).map(({ rule }) => rule);

  it.each([
    'CREATE TABLE shelves (id int PRIMARY KEY); CREATE INDEX shelves_id ON shelves (id); UPDATE shelves SET id = 1;',
    'ALTER TABLE books ADD COLUMN shelf integer',
    'ALTER TABLE books ADD COLUMN lent boolean NOT NULL DEFAULT false',
    'ALTER TABLE books ADD CONSTRAINT pages CHECK (pages > 0) NOT VALID',
    'ALTER TABLE books VALIDATE CONSTRAINT pages',
    'CREATE INDEX IF NOT EXISTS books_shelf ON books (shelf)',
    'DROP INDEX books_shelf',
    'CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN UPDATE books SET shelf = 1; DROP TABLE books; END $$ LANGUAGE plpgsql',
    "INSERT INTO books (title) VALUES ('DROP TABLE; UPDATE books SET x')",
    '-- DROP TABLE books;',
  ])('may: %s', (sql) => {
    expect(brokenRules(sql)).toEqual([]);
  });

  it.each<[Rule, string]>([
    ['takes-away', 'DROP TABLE books'],
    ['takes-away', 'ALTER TABLE books DROP COLUMN shelf'],
    ['takes-away', 'ALTER TABLE books RENAME COLUMN shelf TO place'],
    ['takes-away', 'ALTER TABLE books RENAME TO volumes'],
    ['rewrites', 'ALTER TABLE books ALTER COLUMN shelf TYPE bigint'],
    ['rewrites', 'ALTER TABLE books ADD COLUMN id uuid DEFAULT gen_random_uuid()'],
    ['rewrites', 'ALTER TABLE books ADD COLUMN whole text GENERATED ALWAYS AS (a || b) STORED'],
    ['checks-all-rows', 'ALTER TABLE books ALTER COLUMN shelf SET NOT NULL'],
    ['checks-all-rows', 'ALTER TABLE books ADD CONSTRAINT pages CHECK (pages > 0)'],
    ['checks-all-rows', 'ALTER TABLE books ADD FOREIGN KEY (shelf) REFERENCES shelves'],
    ['builds-index', 'CREATE INDEX books_shelf ON books (shelf)'],
    ['builds-index', 'CREATE UNIQUE INDEX books_title ON books (title)'],
    ['changes-all-rows', 'UPDATE books SET shelf = 1'],
    ['changes-all-rows', 'DELETE FROM books WHERE shelf IS NULL'],
    ['changes-all-rows', 'WITH old AS (SELECT 1) UPDATE books SET shelf = 1 FROM old'],
  ])('%s: %s', (rule, sql) => {
    expect(brokenRules(sql)).toEqual([rule]);
  });

  it('may break a rule for a reason that the file gives, and that rule alone', () => {
    const sql = 'ALTER TABLE books DROP COLUMN shelf; UPDATE books SET place = 1;';
    expect(brokenRules(`-- deploy: takes-away: unused since release 12.\n${sql}`)).toEqual([
      'changes-all-rows',
    ]);
    expect(brokenRules(`-- deploy: takes-away:\n${sql}`)).toEqual(['takes-away', 'changes-all-rows']);
  });

  it('is read without comments, literals and bodies of functions', () => {
    expect(statementsOf("SELECT 1; -- a; b\n SELECT ';' /* ; */ , $body$ ; $body$ ;")).toEqual([
      'SELECT 1',
      "SELECT '' , ''",
    ]);
  });
});
