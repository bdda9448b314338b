import type { CommandIo } from '../command-io.js';

export const PASSWORD_STDIN = 'read the password from standard input (12 to 128 characters)';

/** Reads all of standard input, without the line break at its end. */
export async function readPassword(io: CommandIo): Promise<string> {
  return (await io.readInput()).replace(/\r?\n$/, '');
}
