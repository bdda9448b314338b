import type { Command, Option } from 'commander';
import { Registry } from 'prom-client';

import { EXIT_CODES } from '../../src/cli/command-error.js';
import { createProgram } from '../../src/cli/program.js';
import { DECLARED_LIMITS } from '../../src/graphql/limits/limits.js';
import { createMetrics } from '../../src/http/monitoring/metrics.js';
import { SAME_ON_EACH_NODE, type MetricSources } from '../../src/http/monitoring/sources.js';
import { SETTINGS } from '../../src/platform/config/settings.js';
import { RULES } from '../../src/platform/rules.js';
import { MqttStats } from '../../src/platform/terminal.js';
import { bytes, limitRows, whole } from './limit-rows.js';
import { code, table, type Row } from './markdown.js';

/**
 * Tables of facts of the code, by the name in their marker: `<!-- printed: settings -->` … `<!-- end -->` in a guide of
 * src/docs. `npm run golden` writes them.
 */
export const TABLES: Readonly<Record<string, () => string | Promise<string>>> = {
  settings: () =>
    table(
      ['Variable', 'Default', 'Meaning'],
      SETTINGS.map(({ name, defaultValue, description }) => [
        code(name),
        defaultValue === '' ? '(none)' : code(defaultValue),
        description,
      ]),
    ),
  commands: async () => table(['Command', 'Options', 'Meaning'], (await commands()).map(commandRow)),
  options: async () => {
    const all = (await commands()).filter((command) => command.name() !== 'simulate');
    return table(['Option', 'Meaning'], mergedRows(all));
  },
  simulate: async () => {
    const simulate = (await commands()).find((command) => command.name() === 'simulate');
    return table(['Option', 'Meaning'], simulate === undefined ? [] : optionRows(simulate));
  },
  'exit codes': () =>
    table(
      ['Code', 'Meaning'],
      EXIT_CODES.map(([number, meaning]) => [String(number), meaning]),
    ),
  metrics: async () => table(['Metric', 'Type', 'Labels', 'Meaning'], await metricRows()),
  'graphql limits': () =>
    table(
      ['Limit', 'Maximum', 'Of what'],
      Object.entries(DECLARED_LIMITS).map(([name, { value, meaning }]) => [
        code(name),
        name.endsWith('Bytes') ? bytes(value) : whole(value),
        meaning,
      ]),
    ),
  rules: () =>
    table(
      ['`rule`', 'Messages, with the parameters in braces'],
      [...Map.groupBy(Object.entries(RULES), ([, rule]) => rule)].map(([rule, all]) => [
        code(rule),
        all.map(([message]) => message).join('<br>'),
      ]),
    ),
  limits: () => table(['What', 'Limit', 'Beyond it'], limitRows()),
};

const PRINTED = /^<!-- printed: ([\w ]+) -->\n[^]*?^<!-- end -->$/gm;

/** The text of a guide with its printed tables as the code says. Errors: an `Error` for a marker of an unknown table. */
export async function withPrintedTables(text: string): Promise<string> {
  const names = Array.from(text.matchAll(PRINTED), ([, name = '']) => name);
  const tables = new Map<string, string>();
  for (const name of names) {
    const print = TABLES[name];
    if (print === undefined) throw new Error(`No table is called "${name}".`);
    tables.set(name, await print());
  }
  return text.replace(
    PRINTED,
    (_, name: string) =>
      `<!-- printed: ${name} -->\n\n<!-- prettier-ignore -->\n${tables.get(name)}\n\n<!-- end -->`,
  );
}

/** Paths of all commands with their arguments, for example `db copy`. */
export async function commands(): Promise<readonly Command[]> {
  const nothing = (): undefined => undefined;
  const program = await createProgram({
    environment: {},
    program: 'terminal-gateway',
    print: nothing,
    notice: nothing,
    readInput: () => Promise.resolve(''),
    progress: () => nothing,
  });
  const leavesOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
  return leavesOf(program);
}

/** For example `db copy`, without the name of the program. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

const visibleOptions = (command: Command): readonly Option[] =>
  command.options.filter(({ hidden }) => !hidden);

function commandRow(command: Command): Row {
  const names = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const options = visibleOptions(command)
    .toSorted((a, b) => Number(b.mandatory) - Number(a.mandatory))
    .map(({ long, mandatory }) => (mandatory ? `**${code(long ?? '')}**` : code(long ?? '')));
  const described = command.registeredArguments.map(({ description }) => description).join('; ');
  return [
    code([pathOf(command), ...names].join(' ')),
    command.name() === 'simulate' ? '' : options.join(' '),
    described === '' ? command.description() : `${command.description()}. Argument: ${described}`,
  ];
}

function optionRows(command: Command): readonly Row[] {
  return visibleOptions(command).map((option) => {
    const { flags, description, defaultValueDescription, argChoices } = option;
    const shown: unknown = defaultValueDescription ?? option.defaultValue;
    const isShown = ['string', 'number'].includes(typeof shown);
    const details = [
      ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
      ...(isShown ? [`default: ${String(shown)}`] : []),
    ];
    return [code(flags), description + (details.length === 0 ? '' : ` (${details.join('; ')})`)];
  });
}

/** One row for each option; a meaning that only some commands give it follows their names. */
function mergedRows(all: readonly Command[]): readonly Row[] {
  const meanings = new Map<string, Map<string, string[]>>();
  for (const command of all) {
    for (const [flags = '', meaning = ''] of optionRows(command)) {
      const paths = meanings.get(flags) ?? new Map<string, string[]>();
      paths.set(meaning, [...(paths.get(meaning) ?? []), code(pathOf(command))]);
      meanings.set(flags, paths);
    }
  }
  const textOf = (paths: ReadonlyMap<string, readonly string[]>): string => {
    const sorted = [...paths].toSorted(([, a], [, b]) => b.length - a.length);
    const texts = sorted.map(([meaning, names], index) =>
      index === 0 && (names.length > 1 || sorted.length === 1) ? meaning : `${names.join(', ')}: ${meaning}`,
    );
    return texts.join('. ');
  };
  return [...meanings].map(([flags, paths]) => [flags, textOf(paths)]).toSorted();
}

const zero = (): number => 0;
/** Sources of metrics of a server that does nothing. */
export const NO_SOURCES: MetricSources = {
  fleet: () => Promise.resolve(null),
  ledgerDelaySeconds: zero,
  backupAgeSeconds: () => null,
  droppedTraces: zero,
  lostLogLines: zero,
  storage: () => ({ sizes: null, rows: null }),
  vitals: () => Promise.resolve(null),
  clients: () => ({ waitingBytes: 0, connections: 0, cut: 0, refused: new Map() }),
  database: {
    bytes: () => ({ file: 0, log: 0 }),
    connections: () => ({}),
    waitingTurns: () => null,
    examining: () => ({ running: 0, waiting: 0, threads: 0, exceeded: 0, lostThreads: 0 }),
    windowFailures: zero,
  },
  mqtt: null,
};

async function metricRows(): Promise<readonly Row[]> {
  const register = new Registry();
  createMetrics({ ...NO_SOURCES, mqtt: () => new MqttStats() }, register);
  const metrics = await register.getMetricsAsJSON();
  return metrics
    .filter(({ name }) => !/^(?:process|nodejs)_/.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help }) => {
      const { labelNames = [] } = register.getSingleMetric(name) as unknown as { labelNames?: string[] };
      const meaning = help.replace(` ${SAME_ON_EACH_NODE}`, '');
      return [code(name), String(type), labelNames.map(code).join(', '), meaning];
    });
}
