import { copyToPostgres } from './postgres/copy.js';
import { print } from './servers.js';

/** Measures on a SQLite file, then on a PostgreSQL server with the same records; prints the name of each before. */
export async function onBoth(file: string, measure: (databaseUrl: string) => Promise<void>): Promise<void> {
  const postgres = await copyToPostgres(file);
  try {
    print('SQLite');
    await measure(`file:${file}`);
    print('PostgreSQL');
    await measure(postgres.url);
  } finally {
    await postgres.stop();
  }
}
