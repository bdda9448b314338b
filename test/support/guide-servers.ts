import { join } from 'node:path';
import { expect } from 'vitest';

import { readDocument } from '../documents/markdown.js';
import { demoIsReady, launchDemo } from './demo.js';
import { GuideShell, masked, shellBlocks } from './guide-shell.js';
import { startProgram } from './program.js';

export const README = readDocument('README.md');
export const guide = (name: string): string => readDocument(`src/docs/${name}.md`);

export const blockWith = (text: string, part: string): string =>
  shellBlocks(text).find((block) => block.includes(part)) ?? '';

/** The function of a guide that sends GraphQL. */
export const ASK = blockWith(guide('reference/graphql'), 'ask()').trim();

/** A server that was made as README.md says, in the folder `gateway`, and a shell in this folder. */
export async function makeServer(folder: string) {
  const first = new GuideShell(folder);
  const commands = blockWith(README, 'user add').replace(/^npm install.*\n/m, '');
  expect(commands).toMatch(/^mkdir[^]*\nterminal-gateway serve\n$/);
  const output = await first.run(commands.replace('terminal-gateway serve\n', ''));
  const printed = blockWith(README, 'was created.\n').trim();
  expect(masked(output)).toBe(masked(printed));
  const server = await startProgram(`file:${join(folder, 'gateway/data/gateway.db')}`);
  const shell = new GuideShell(join(folder, 'gateway'), { 'http://127.0.0.1:4000': server.url });
  shell.learn(printed, output);
  return { shell, server, token: /"api_token":"(\w+)"/.exec(output)?.[1] ?? '' };
}

/** A shell with the token and the database of a demo without simulated terminals. */
export async function besideDemo(folder: string) {
  const demo = launchDemo('--no-simulate', '--seed', '1');
  await demoIsReady(demo);
  const [, url = '', token = ''] =
    /listens on (\S+)[^]*Token of the administrator of .*: (\S+)/.exec(demo.output()) ?? [];
  const [, file = ''] = /was made in .* s, in (\S+)/.exec(demo.output()) ?? [];
  const commands = ['state', 'apply'].map((name) => `terminal-gateway ${name}`);
  const withUrl = Object.fromEntries(commands.map((command) => [command, `${command} --url ${url}`]));
  const shell = new GuideShell(folder, { 'http://127.0.0.1:4000': url, ...withUrl });
  await shell.run(`export TOKEN=${token} DATABASE_URL=file:${file}; ${ASK}`);
  return { shell, url, token };
}
