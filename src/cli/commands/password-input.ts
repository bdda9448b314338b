import type { CommandIo } from '../command-io.js';

export const PASSWORD_STDIN = 'read the password from standard input (12 to 128 characters)';

/** All of standard input but the end of its line. */
export async function readPassword(terminal: CommandIo): Promise<string> {
  return (await terminal.readInput()).replace(/\r?\n$/, '');
}
