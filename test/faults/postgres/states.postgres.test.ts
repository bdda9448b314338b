import { onTestFinished } from 'vitest';

import { newDatabase } from '../../support/databases/place.js';
import { testCopies, testRemovedTables } from '../states.js';

testRemovedTables((cli, table) => cli.place.sql(`drop table ${table} cascade`));

// A restored dump of a database that a server has used; the original starts again.
testCopies(async (cli) => {
  await (await cli.serve()).stop();
  await cli.place.disconnect();
  const copy = await newDatabase({ copyOf: cli.place });
  onTestFinished(async () => {
    await (await cli.serve()).stop();
    await copy.remove();
  });
  return copy.url;
});
