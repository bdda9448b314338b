import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, onTestFinished } from 'vitest';

import { COMPILE_CACHE, PROGRAM } from './program.js';
import { waitFor } from './wait-for.js';

/** A command of a guide, and what it prints according to the guide. */
export interface Step {
  readonly command: string;
  readonly printed: string;
}

/** The blocks of a guide in a language; without one, commands and what they print. */
export const shellBlocks = (guide: string, wanted = ''): readonly string[] =>
  Array.from(guide.matchAll(/^```(\w*)\n([^]*?)^```/gm)).flatMap(([, language, block = '']) =>
    language === wanted ? [block] : [],
  );

/** Commands in the blocks of a guide: what follows `$ `, with lines continued by a backslash. */
export function stepsOf(guide: string): readonly Step[] {
  const texts = shellBlocks(guide).flatMap((block) => block.split(/^\$ /m).slice(1));
  return texts.map((text) => {
    const [command = ''] = /^(?:.*\\\n)*.*/.exec(text) ?? [];
    return { command, printed: text.slice(command.length).trim() };
  });
}

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{40}\b/g, 'TOKEN'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'REQUEST'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/"(created_by|company_id|user_id)":\d+/g, '"$1":RANDOM'],
  [/made in [\d.]+ s, in \S+/g, 'made in SECONDS, in FILE'],
  [/(?<=with the password )\S+/g, 'PASSWORD'],
  [/^[\w-]{20}$/gm, 'PASSWORD'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
];

/** A text without what differs each time: times, secrets and random ids. */
export const masked = (text: string): string =>
  MASKS.reduce((result, [pattern, name]) => result.replace(pattern, name), text);

const tokensIn = (text: string): readonly string[] => text.match(/\b[0-9a-f]{40}\b/g) ?? [];

/** A shell in which the commands of guides are run as they are printed, with the addresses and tokens of the test. */
export class GuideShell {
  readonly #shell: ChildProcessWithoutNullStreams;
  /** Texts of guides, and what stands for them in the test. */
  readonly #real: Map<string, string>;
  #output = '';

  constructor(folder: string, real: Readonly<Record<string, string>> = {}) {
    this.#real = new Map(Object.entries(real));
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    const env = { ...process.env, PATH: path, NODE_COMPILE_CACHE: COMPILE_CACHE, DATABASE_URL: undefined };
    this.#shell = spawn('bash', { cwd: folder, env });
    onTestFinished(() => void this.#shell.kill());
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
    this.#shell.stdin.write(`exec 2>&1\nterminal-gateway() { '${process.execPath}' '${PROGRAM}' "$@"; }\n`);
  }

  /** Lets each token in `printed` stand for the one at its place in `output`. */
  learn(printed: string, output: string): void {
    const tokens = tokensIn(output);
    for (const [index, token] of tokensIn(printed).entries()) this.#real.set(token, tokens[index] ?? '');
  }

  /** A text of a guide with the addresses and tokens of the test. */
  real(text: string): string {
    return [...this.#real].reduce((result, [printed, real]) => result.replaceAll(printed, real), text);
  }

  /** Runs one command to its end. */
  async run(command: string): Promise<string> {
    const end = `end-${crypto.randomUUID()}`;
    this.#output = '';
    // The next command sees the exit code of this one.
    const ended = `code=$?; printf '\\n%s\\n' ${end}; (exit $code)`;
    this.#shell.stdin.write(`{ ${this.real(command)}\n} < /dev/null\n${ended}\n`);
    await waitFor(() => expect(this.#output).toContain(`${end}\n`), { interval: 20 });
    return this.#output.slice(0, this.#output.indexOf(end)).trim();
  }

  /** Runs commands one after the other: each prints what the guide says, where it says something, but for `varying`. */
  async check(steps: readonly Step[], varying?: RegExp): Promise<void> {
    const comparable = (text: string): string =>
      varying === undefined ? masked(text) : masked(text).replaceAll(varying, '');
    expect(steps.length).toBeGreaterThan(0);
    for (const { command, printed } of steps) {
      const output = await this.run(command);
      if (printed !== '') expect(comparable(output), command).toBe(comparable(printed));
      this.learn(printed, output);
    }
  }
}
