import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseRefused, unusable } from '../database.js';
import type { Checked, Drill } from '../tools.js';
import { backupTo, restoreFrom } from './file/backup.js';
import { headOf } from './file/loss.js';
import { fileBytes, walPath } from './file/open-file.js';
import { freeBytesAt } from './write-ahead-log.js';

/** `check` reads a whole file. Errors: `DatabaseRefused` if the disk of the folder lacks room. */
export function fileDrill(file: string, parent: string, check: (file: string) => Promise<Checked>): Drill {
  requireRoom(file, parent);
  const { head } = headOf(file);
  const folder = mkdtempSync(join(parent, 'terminal-gateway-drill-'));
  const [backup, restored] = [join(folder, 'backup.db'), join(folder, 'restored.db')];
  return {
    left: [folder],
    backup: (onProgress) => backupTo(file, backup, onProgress),
    restore: (onProgress) => restoreFrom(backup, restored, onProgress),
    check: async () => {
      const { problems } = await check(restored);
      const found = headOf(restored).head;
      const missing = `its ledger ends at ${found}, before ${head}, where that of ${file} ended when the drill began`;
      const all = found < head ? [...problems, missing] : problems;
      if (all.length > 0) throw new DatabaseRefused('damaged', all.join('\n'));
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

function requireRoom(file: string, folder: string): void {
  const needed = 2 * (fileBytes(file) + fileBytes(walPath(file)));
  const free = freeBytesAt(folder);
  if (free >= needed) return;
  throw unusable(
    `The drill needs ${needed} bytes on the disk of ${folder}, which has ${free}. Nothing was done: name a folder on another disk.`,
  );
}
