import { onTestFinished } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { newDatabase, type OpenOptions, type PlaceOptions, type TestPlace } from './databases/place.js';

export interface TestDatabase {
  readonly place: TestPlace;
  readonly database: Database;
}

/** Opens a migrated, empty database without a server; closed and removed after the test. */
export async function testDatabase(options: OpenOptions = {}): Promise<TestDatabase> {
  const { remove, ...opened } = await openDatabase(options);
  onTestFinished(remove);
  return opened;
}

/** Opens a new database for several tests, migrated and empty unless it is a copy. Call `remove` to close and delete it. */
export async function openDatabase(
  options: OpenOptions = {},
  { copyOf }: Pick<PlaceOptions, 'copyOf'> = {},
): Promise<TestDatabase & { readonly remove: () => Promise<void> }> {
  const place = await newDatabase(copyOf === undefined ? {} : { copyOf });
  const database = await place.open(options);
  const remove = async (): Promise<void> => {
    await database.close();
    await place.remove();
  };
  return { place, database, remove };
}
