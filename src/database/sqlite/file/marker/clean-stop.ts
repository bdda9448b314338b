import { closeSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

import { namingPath } from '../../../../platform/storage/file-errors.js';
import { readHeader } from '../inspect.js';
import { canonicalPath, fileBytes, isOpenInProcess, rollbackJournalPath, walPath } from '../paths.js';
import { CLEAN_STOP_OFFSET, markerPath, readMarks } from './marker.js';

const MAGIC = 0x54474331;
const RECORD_BYTES = 64;
const CHECKSUM_OFFSET = 60;

/**
 * Records in the marker that a database is sound: it was sound when it was opened, and the last process that
 * used it has closed it without a log. The record has the size and the time of the file, so that any later
 * change makes it void. After a server that has not closed the database, nothing is recorded.
 */
export function noteCleanStop(file: string): void {
  if (readMarks(file)?.serverPid === 0) writeRecord(file, recordOf(file));
}

/** Deletes the record before the first change: a process that ends in any other way leaves none. */
export function forgetCleanStop(file: string): void {
  if (readRecord(file).some((byte) => byte !== 0)) writeRecord(file, Buffer.alloc(RECORD_BYTES));
}

/** Whether nothing has changed the file since `noteCleanStop`. False while this process has it open. */
export function hasCleanStop(file: string): boolean {
  if (isOpenInProcess(file) || fileBytes(file) === 0) return false;
  if (fileBytes(walPath(file)) > 0 || fileBytes(rollbackJournalPath(file)) > 0) return false;
  return !readHeader(file).hasLog && readRecord(file).equals(recordOf(file));
}

function recordOf(file: string): Buffer {
  const { size, mtimeNs } = statSync(canonicalPath(file), { bigint: true });
  const record = Buffer.alloc(RECORD_BYTES);
  record.writeUInt32LE(MAGIC, 0);
  record.writeBigUInt64LE(size, 4);
  record.writeBigInt64LE(mtimeNs, 12);
  record.writeUInt32LE(crc32(record.subarray(0, CHECKSUM_OFFSET)), CHECKSUM_OFFSET);
  return record;
}

/** The record in the marker; zeros if there is none. */
function readRecord(file: string): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  withMarker(file, 'r', (descriptor) => readSync(descriptor, record, 0, RECORD_BYTES, CLEAN_STOP_OFFSET));
  return record;
}

/** Writes the record, and waits until it is on the disk. */
function writeRecord(file: string, record: Buffer): void {
  withMarker(file, 'r+', (descriptor) => {
    writeSync(descriptor, record, 0, RECORD_BYTES, CLEAN_STOP_OFFSET);
    fdatasyncSync(descriptor);
  });
}

/** Calls `use` with the open marker; does nothing if there is no marker. */
function withMarker(file: string, mode: 'r' | 'r+', use: (descriptor: number) => void): void {
  const path = markerPath(file);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  const descriptor = openSync(path, mode);
  try {
    namingPath(path, () => use(descriptor));
  } finally {
    closeSync(descriptor);
  }
}
