import type { Command } from 'commander';

import { describeConfig, readConfig, SETTINGS } from '../../platform/config/config.js';
import type { CommandIo } from '../command-io.js';

export function addConfigCommands(program: Command, terminal: CommandIo): void {
  program
    .command('config')
    .description('the settings, which are environment variables')
    .command('print')
    .description('print the settings in force, secrets redacted, and check them')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nSettings:\n${settingsHelp()}`)
    .action(({ json }: { readonly json?: true }) => print(terminal, json === true));
}

function print({ environment, print: say }: CommandIo, json: boolean): void {
  const settings = describeConfig(environment);
  if (json) say(JSON.stringify(settings));
  else for (const [name, value] of Object.entries(settings)) say(`${name}=${value}`);
  readConfig(environment);
}

function settingsHelp(): string {
  const width = Math.max(...SETTINGS.map(({ name }) => name.length));
  return SETTINGS.map(({ name, description, defaultValue }) => {
    const suffix = defaultValue === '' ? '' : ` (default: ${defaultValue})`;
    return `  ${name.padEnd(width)}  ${description}${suffix}`;
  }).join('\n');
}
