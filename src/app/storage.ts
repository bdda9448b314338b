import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import type { Config } from '../platform/config/config.js';
import { loadTokenSecret } from '../platform/config/token-secret.js';
import type { Logger } from '../platform/logger.js';

/** Opens the database, which no other server may have open, and reads the token secret. */
export async function openStorage(
  config: Config,
  logger: Logger,
  onFatal: ((error: unknown) => void) | undefined,
): Promise<{ readonly database: Database; readonly tokenSecret: string }> {
  const database = await openDatabase(config.databaseFile, {
    exclusive: true,
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the storage can no longer guarantee that writes are durable');
      onFatal?.(error);
    },
  });
  try {
    return { database, tokenSecret: loadTokenSecret(config) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
