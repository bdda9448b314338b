import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { prepareDatabaseWithUser } from '../support/prepared-database.js';
import { runCommand, runProgram } from '../support/program.js';
import { AS_NOBODY, itUnless, lacking, onSmallDisk, runTool, useScratchFolder } from './machine.js';

let folder: string;
let file: string;
useScratchFolder((scratch) => ({ folder, file } = scratch));

/** Codes and calls of the operating system, and stacks. */
const RAW = /\bE[A-Z]{4,}\b|ERR_|syscall|lstat|\bopen '|\n\s+at /;

/** Runs a command that fails, and expects one line with its exit code. */
async function expectLine(
  args: string,
  url: string,
  [code, line]: readonly [number, string],
  run: typeof runCommand = runCommand,
): Promise<void> {
  const outcome = await run(args.split(' '), url);
  const lines = outcome.stderr.trim().split('\n');
  expect([outcome.code, lines.at(-1)], args).toEqual([code, expect.stringContaining(line)]);
  expect(lines, args).toHaveLength(1);
  expect(outcome.output, args).not.toMatch(RAW);
}

async function prepare(): Promise<string> {
  await prepareDatabaseWithUser(placeAt(file), 'a long password');
  mkdirSync(join(folder, 'folder.csv'));
  writeFileSync(join(folder, 'file'), '');
  writeFileSync(join(folder, 'rows.ndjson'), '{}\n');
  return urlOf(file);
}

describe('RU-65 a path that cannot be used', () => {
  it('is named with its cause by every command that takes one', async () => {
    const url = await prepare();
    const missing = 'the folder /nope does not exist';
    const isFolder = 'it is a folder, not a file';
    const cases: readonly (readonly [args: string, code: number, line: string])[] = [
      ['db backup /nope/x', 1, `/nope/x.unfinished: ${missing}`],
      [`db backup ${folder}/file/x`, 1, 'a part of this path is a file, not a folder'],
      ['transaction import --company Acme /nope/x.csv', 1, `/nope/x.csv: ${missing}`],
      [`transaction import --company Acme ${folder}/no.ndjson`, 1, `${folder}/no.ndjson: it does not exist`],
      [`transaction import --company Acme ${folder}/folder.csv`, 1, `${folder}/folder.csv: ${isFolder}`],
      [
        `transaction import --company Acme ${folder}/rows.ndjson --rejected /nope/x`,
        1,
        `/nope/x: ${missing}`,
      ],
      [`transaction import --company Acme ${folder}/rows.ndjson --rejected ${folder}`, 1, isFolder],
      ['device import --company Acme /nope/x', 1, `/nope/x: ${missing}`],
      [`device import --company Acme ${folder}/folder.csv`, 1, `${folder}/folder.csv: ${isFolder}`],
      [`simulate --url http://127.0.0.1:1 --device-tokens ${folder}`, 1, isFolder],
      [`demo --dir ${folder}/file`, 78, `${folder}/file: it is a file, not a folder`],
    ];
    for (const [args, code, line] of cases) {
      // The demo says first that it begins.
      if (args.startsWith('demo')) {
        const { code: ended, stderr } = await runCommand(args.split(' '), url);
        expect([ended, stderr.trim().split('\n').at(-1)]).toEqual([code, expect.stringContaining(line)]);
      } else await expectLine(args, url, [code, line]);
    }
    const other = urlOf(join(folder, 'file', 'gateway.db'));
    for (const command of [
      'serve',
      'db migrate',
      'db info',
      'db check',
      `db backup ${folder}/x`,
      'user list',
    ]) {
      await expectLine(command, other, [78, 'is a file, not a folder']);
    }
  });

  it('is named where the temporary folder is missing', async () => {
    const { code, stderr } = await runProgram(['demo'], urlOf(file), { environment: { TMPDIR: '/nope' } });
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      78,
      'TMPDIR: no folder can be made in /nope: the folder /nope does not exist. Set TMPDIR to another folder, or name one with --dir.',
    ]);
  });

  it.each(['marker', 'secret', 'reserve', 'lock'])(
    'is named where the file .%s is a folder',
    async (suffix) => {
      await prepare();
      const path = `${file}.${suffix}`;
      rmSync(path, { force: true });
      mkdirSync(path);
      const { code, stderr, output } = await runCommand(['serve'], urlOf(file));
      expect(code).toBe(78);
      expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(path)]);
      expect(stderr).toContain('it is a folder, not a file');
      expect(output).not.toMatch(RAW);
    },
  );

  itUnless(lacking.mount())('is named where its file system is read-only', async () => {
    const url = await prepare();
    await onSmallDisk(folder, 20, async (small) => {
      cpSync(file, join(small, 'gateway.db'));
      runTool('mount', '-o', 'remount,ro', small);
      const readOnly = 'its file system is read-only';
      await expectLine(`db backup ${small}/x`, url, [74, readOnly]);
      await expectLine(`transaction import --company Acme ${folder}/rows.ndjson --rejected ${small}/x`, url, [
        74,
        `${small}/x: ${readOnly}`,
      ]);
      for (const name of ['new.db', 'gateway.db']) {
        for (const command of ['serve', 'db migrate']) {
          await expectLine(command, urlOf(join(small, name)), [74, 'The storage is read-only']);
        }
      }
    });
  });

  itUnless(lacking.otherUser())('is named where the user has no permission', async () => {
    const url = await prepare();
    const asNobody: typeof runCommand = (args, at) => runProgram(args, at, { through: AS_NOBODY });
    await expectLine('db info', url, [78, 'this user has no permission for it'], asNobody);
    await expectLine('serve', urlOf('/etc/gateway.db'), [78, 'this user has no permission for it'], asNobody);
  });
});
