import { onTestFinished } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { SqliteConnection } from '../../src/database/sqlite/connection.js';
import { openFile } from '../../src/database/sqlite/file/open-file.js';
import { WriteGroups } from '../../src/database/sqlite/write-groups.js';
import { createUnits } from '../../src/database/units.js';
import type { Units } from '../../src/database/work.js';
import type { Clock } from '../../src/platform/clock.js';
import { testClock } from '../support/clock.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';

/** Callbacks around each commit. */
interface Hooks {
  /** Called before each commit. If it throws, the commit fails. */
  committing: () => void;
  committed: () => void;
}

export interface Grouped {
  readonly database: Database;
  readonly units: Units;
  readonly hooks: Hooks;
}

/** An empty database whose units are committed in groups of at most 128, however long they take. */
export function openGrouped(clock: Clock = testClock()): Grouped {
  const database = sqliteDatabase();
  const hooks: Hooks = { committing: () => undefined, committed: () => undefined };
  const connection = new SqliteConnection(
    openFile(database.name, { readonly: false }),
    { onStatement: () => undefined, onFatal: () => undefined, onFault: () => undefined },
    {
      guard: {
        committing: () => hooks.committing(),
        committed: () => hooks.committed(),
        checkpointed: () => undefined,
      },
    },
  );
  onTestFinished(() => void connection.database.close());
  const groups = new WriteGroups(connection, { fault: null }, { units: 128, ms: Infinity });
  const grouped: Database = {
    ...database,
    writes: groups.single,
    write: groups.write,
  };
  return { database: grouped, units: createUnits(grouped, clock), hooks };
}
