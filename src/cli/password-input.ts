import type { Terminal } from './terminal.js';

export const PASSWORD_STDIN = 'read the password from standard input (12 to 128 characters)';

/** All of standard input but the end of its line. */
export async function readPassword(terminal: Terminal): Promise<string> {
  return (await terminal.readInput()).replace(/\r?\n$/, '');
}
