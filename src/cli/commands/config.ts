import type { Command } from 'commander';

import { describeConfig, readConfig } from '../../platform/config/config.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../command-io.js';

export function addCommands(config: Command, io: CommandIo): void {
  addJsonCommand(config, 'print', 'print the settings in effect, with secrets redacted, and check them')
    .addHelpText('after', `\nSettings:\n${settingsHelp()}`)
    .action((options: JsonOption) => printSettings(io, options));
}

function printSettings(io: CommandIo, options: JsonOption): void {
  const settings = describeConfig(io.environment);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  printResult(io, options, settings, lines);
  readConfig(io.environment);
}

function settingsHelp(): string {
  const width = Math.max(...SETTINGS.map(({ name }) => name.length));
  return SETTINGS.map(({ name, description, defaultValue }) => {
    const suffix = defaultValue === '' ? '' : ` (default: ${defaultValue})`;
    return `  ${name.padEnd(width)}  ${description}${suffix}`;
  }).join('\n');
}
