import { existsSync } from 'node:fs';

import { tokenSecretPath } from '../../../platform/config/token-secret.js';
import { counted } from '../../../platform/errors.js';
import { type Loss, DatabaseRefused } from '../../database.js';
import { hasLog, recognizeFile } from './inspect.js';
import { readMarks, replaceMarker, type Mark } from './marker.js';
import {
  canonicalPath,
  closeWhole,
  fileBytes,
  isOpenInProcess,
  openFile,
  reading,
  walPath,
} from './open-file.js';

const ADVICE =
  'Nothing was changed. Put the missing file back, or move what is left away and restore a backup with terminal-gateway db restore FILE; to go on without what is lost, start once with terminal-gateway serve --accept-loss.';

/** Errors: `DatabaseRefused` if acknowledged changes are missing. */
export function refuseLoss(file: string): void {
  const loss = lossOf(file);
  if (loss !== null) throw lost(loss);
}

export function lost({ problem }: Loss): DatabaseRefused {
  return new DatabaseRefused('lost', `${problem} ${ADVICE}`);
}

/**
 * Compares a database of this program, or a missing one, with the marker beside it. The marker is read first: others
 * create it before the log and write it after a commit, so their changes do not count as a loss.
 */
export function lossOf(file: string): Loss | null {
  const mark = readMarks(file)?.latest ?? null;
  if (recognizeFile(file) === 'new') return lossOfAll(file, mark);
  return mark === null ? lossOfLog(file) : lossOfChanges(file, mark);
}

function lossOfAll(file: string, mark: Mark | null): Loss | null {
  const hasSecret = [file, canonicalPath(file)].some((path) => existsSync(tokenSecretPath(path)));
  if (mark === null && !hasSecret) return null;
  const state = existsSync(file) ? 'is empty' : 'is missing';
  const had =
    mark === null
      ? 'its token secret is there: this installation had a database.'
      : `it had ${ledgerOf(mark)}: all of them are missing.`;
  return { problem: `${file} ${state}, but ${had}`, acknowledged: mark, head: 0 };
}

/** Reports a missing log. (A server that stops, and a backup, leave a file that needs no log.) */
function lossOfLog(file: string): Loss | null {
  if (isOpenInProcess(file) || !hasLog(file) || fileBytes(walPath(file)) > 0) return null;
  // Another process may be creating the database.
  if (readMarks(file) !== null) return null;
  return {
    problem: `${file} was copied without its log, or lost it: what was acknowledged last was in ${walPath(file)}, which is missing.`,
    acknowledged: null,
    head: headOf(file).head,
  };
}

function lossOfChanges(file: string, mark: Mark): Loss | null {
  const { identity, head, at } = headOf(file, mark.head);
  const lossWith = (problem: string): Loss => ({ problem, acknowledged: mark, head });
  if (identity !== mark.identity) {
    return lossWith(
      `${file} is not the database that was here: that one had ${ledgerOf(mark)}; all of them are missing.`,
    );
  }
  if (head < mark.head) {
    return lossWith(
      `${file} has lost ${counted(mark.head - head, 'acknowledged change')}: its ledger ends at ${head}, but ${mark.head} was acknowledged at ${timeOf(mark)}.`,
    );
  }
  if (at === mark.at) return null;
  return lossWith(
    `${file} has another history than the one that was acknowledged: change ${mark.head} of its ledger is not the one of ${timeOf(mark)}.`,
  );
}

/** The state of a database; `at` is the time of the entry `position`, by default of the last one. */
export function headOf(file: string, position?: number): Mark {
  return reading(file, (database) => {
    const value = (text: string): number => Number(database.prepare(text).pluck().get() ?? 0);
    const identity = value('pragma user_version');
    if (value("select 1 from sqlite_schema where name = 'ledger'") === 0) return { identity, head: 0, at: 0 };
    const head = value('select max(position) from ledger');
    return { identity, head, at: value(`select at from ledger where position = ${position ?? head}`) };
  });
}

const timeOf = ({ at }: Mark): string => new Date(at).toISOString();

const ledgerOf = (mark: Mark): string =>
  `a ledger of ${counted(mark.head, 'change')}, the last at ${timeOf(mark)}`;

/** Creates the marker before the log: a database with a log and no marker counts as copied without its log. */
export function ensureMarker(file: string): void {
  if (readMarks(file) === null) replaceMarker(file, headOf(file));
}

/**
 * Keeps WAL mode on until the returned function is called: otherwise no server could start during a long read. The
 * caller has found no loss. Does nothing for a database that cannot be written.
 */
export function keepLog(file: string): () => void {
  try {
    ensureMarker(file);
    const database = openFile(file, { readonly: false });
    return () => closeWhole(database);
  } catch {
    return () => undefined;
  }
}
