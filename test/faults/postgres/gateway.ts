/** A company and a token in the database of a PostgreSQL server. */
import { randomUUID } from 'node:crypto';

import { openDatabase } from '../../../src/database/open.js';
import { createUnits } from '../../../src/database/units.js';
import { systemClock } from '../../../src/platform/clock.js';
import { SCOPES } from '../../../src/platform/requests.js';
import type { TestPlace } from '../../support/databases/place.js';
import { addMember } from '../../support/members.js';
import type { OwnServer } from '../../support/postgres/boot.js';

/** Creates the tables and a company with an administrator; resolves to a token with every scope. */
export async function addCompany(url: string): Promise<string> {
  const database = await openDatabase({ server: url });
  const units = createUnits(database, systemClock);
  const id = randomUUID();
  const administrator = { email: `${id}@acme.example`, scopes: SCOPES };
  const { token } = await addMember(units, `Company ${id}`, administrator);
  await database.close();
  return token;
}

/** The database of a server, to be examined as its administrator. */
export function placeOf(server: OwnServer): Pick<TestPlace, 'url' | 'check' | 'sql'> {
  return {
    url: server.url,
    check: () => Promise.resolve([]),
    sql: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await server.admin(values.length === 0 ? text : { text, values: [...values] })) as Row[],
  };
}
