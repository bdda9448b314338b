import { buildDatabase } from './data.js';
import { compareFilters } from './transaction-filters.js';
import { start, stopServers } from './measure.js';
const file = '/tmp/bench-totals/filters.db';
const data = await buildDatabase(file, 1_000_000);
const server = await start('server', '../../dist/main.js', ['serve'], {
  DATABASE_URL: `file:${file}`,
  PORT: '0',
  RATE_LIMIT_PER_HOUR: '0',
  LOG_LEVEL: 'warn',
});
await compareFilters(server, data, { rounds: 3, milliseconds: 1000, connections: 4 });
await stopServers();
