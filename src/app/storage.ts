import { LONG_LOG_BYTES, type Database, type Loss, type OpenOptions } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import type { Units } from '../database/work.js';
import { listCompanies } from '../domain/people/company/company.service.js';
import { atMostEvery, SECOND } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import { loadTokenSecret } from '../platform/config/token-secret.js';
import { type DomainCode, storageCode } from '../platform/errors.js';
import { ledgerChainHash } from '../platform/hashes.js';
import type { Logger } from '../platform/logger.js';
import { LOCAL_ORIGIN } from '../platform/requests.js';

const WATCH_MS = SECOND / 2;
/** Delay before the process ends: health checks can see that it is not ready, and last responses are sent. */
const END_MS = SECOND;
/** Minimum time between two log lines for the same fault. */
const FAULT_LOG_MS = 10 * SECOND;
const WAITING_LOG_MS = 30 * SECOND;

const LONG_LOG =
  'the write-ahead log is long: another process reads the database for so long that the log cannot be written back';
const UNSHARED = 'limits are counted by this node alone: the database does not answer in time';

export interface StorageOptions {
  /** Starts even if acknowledged changes are missing; they are reported in the log and the ledger. */
  readonly acceptLoss?: boolean;
  readonly acceptCopy?: boolean;
  /** Ends the process when the storage can no longer be trusted. */
  readonly onFatal?: (error: unknown) => void;
  /** Limits of reads that examine many rows. */
  readonly examining?: OpenOptions['examining'];
  /** Called while the database cannot be reached: listens, and resolves to the URL. Without it, opening fails. */
  readonly onWaiting: (() => Promise<string>) | undefined;
}

/** Opens the database and reads the token secret. `chain` hashes ledger entries; `loss` is the accepted loss. */
export async function openStorage(
  config: Config,
  logger: Logger,
  { acceptLoss = false, acceptCopy = false, onFatal, onWaiting, examining }: StorageOptions,
) {
  let loss: Loss | null = null;
  const database = await openDatabase(config.database, {
    exclusive: true,
    acceptCopy,
    maxLogBytes: config.maxWalBytes,
    connections: config.databaseConnections,
    uploadFolder: config.uploadFolder,
    onUnreachable: onWaiting && waitingLogger(logger, onWaiting),
    examining,
    ...(acceptLoss ? { acceptLoss: (accepted) => (loss = accepted) } : {}),
    ...logging(logger),
    onFatal: (error) => {
      logger.fatal(
        { err: error, storage_code: storageCode(error) },
        'the storage can no longer guarantee that writes are durable',
      );
      onFatal?.(error);
    },
    onLost: (problem) => {
      logger.fatal({ problem }, 'the database is gone: nothing more is acknowledged');
      setTimeout(() => onFatal?.(new Error(problem)), END_MS);
    },
  });
  try {
    const tokenSecret = loadTokenSecret(config);
    const chain = config.ledgerChain ? ledgerChainHash(tokenSecret) : null;
    return { database, tokenSecret, chain, loss: loss as Loss | null };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Lines about what does not end the server. */
const logging = (logger: Logger): OpenOptions => ({
  onProgress: (message) => logger.info(message),
  onFault: faultLogger(logger),
  onUnshared: (error) => logger.warn({ err: error }, UNSHARED),
  onWarning: (message, details) => logger.warn(details, message),
  onThreadLost: (error) => logger.error({ err: error }, 'a reader thread was lost and is replaced'),
});

/** Logs at most twice a minute that the server still waits for the database. */
function waitingLogger(
  logger: Logger,
  onWaiting: () => Promise<string>,
): NonNullable<OpenOptions['onUnreachable']> {
  const isDue = atMostEvery(WAITING_LOG_MS);
  let attempts = 0;
  return async (reason) => {
    const url = await onWaiting();
    attempts += 1;
    if (!isDue()) return;
    logger.warn({ url, reason, attempts }, 'the database cannot be reached yet; requests get 503 meanwhile');
  };
}

/** Logs a fault with the code of the database or of the operating system. */
function faultLogger(logger: Logger): (code: DomainCode, error: unknown) => void {
  const isDue = atMostEvery(FAULT_LOG_MS);
  return (code, error) => {
    const cause = storageCode(error) ?? 'unknown';
    if (code === 'busy' || code === 'taken' || !isDue(code + cause)) return;
    logger.error({ code, storage_code: cause, reason: (error as Error).message }, 'storage fault');
  };
}

/** Records in the log and in every company's ledger that the server was started without lost changes. */
export async function recordLoss(units: Units, loss: Loss, logger: Logger): Promise<void> {
  const before = loss.acknowledged && {
    sequence: loss.acknowledged.head,
    at: new Date(loss.acknowledged.at),
  };
  const after = { sequence: loss.head, problem: loss.problem };
  logger.warn({ acknowledged: before, found: after }, 'started with accepted loss of acknowledged changes');
  await units.systemWrite(LOCAL_ORIGIN, async (work) => {
    for (const companyId of [null, ...(await listCompanies(work)).map(({ id }) => id)]) {
      const about = { entityType: 'database', entityId: null } as const;
      work.ledger.append({ action: 'accept_loss', ...about, before, after, companyId });
    }
  });
}

/** Looks at files and log twice a second. Returns a function to call before the end, which looks at the files again. */
export function watchStorage(
  database: Database,
  logger: Logger,
  onFatal: StorageOptions['onFatal'],
): () => void {
  let warnedAt = 0;
  const timer = setInterval(() => {
    // Changes, if any, are refused by then; see `onLost`.
    if (database.verify() !== null) return;
    const { log } = database.bytes();
    if (log < LONG_LOG_BYTES) warnedAt = 0;
    else if (log >= 2 * warnedAt) {
      warnedAt = log;
      logger.warn({ log_bytes: log }, LONG_LOG);
    }
  }, WATCH_MS).unref();
  return () => {
    clearInterval(timer);
    const problem = database.verify();
    if (problem !== null) onFatal?.(new Error(problem));
  };
}
