/** Program of the thread that measures the tables of a file once. */
import Sqlite from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';

import { measureFile } from './measure.ts';

export interface SizesTask {
  readonly file: string;
  /** One number: 1 once the thread must end. */
  readonly stop: Int32Array;
}

const OPEN_TIMEOUT_MS = 5_000;

const { file, stop } = workerData as SizesTask;
const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: OPEN_TIMEOUT_MS });
try {
  parentPort?.postMessage(measureFile(database, () => Atomics.load(stop, 0) === 1));
} finally {
  database.close();
}
