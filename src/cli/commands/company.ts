import type { Command } from 'commander';

import { changeCompany, listCompanies } from '../../domain/people/company/company.service.js';
import {
  addChangeCommand,
  changeIn,
  fieldsOf,
  withDatabase,
  type ChangeOptions,
} from '../command-context.js';
import { addJsonCommand, printResult, table, type CommandIo, type JsonOption } from '../command-io.js';

export function addCommands(company: Command, io: CommandIo): void {
  addJsonCommand(company, 'list', 'list all companies').action((options: JsonOption) => list(io, options));
  addChangeCommand(company, 'rename', 'rename a company')
    .requiredOption('--name <name>', 'its new name')
    .action(async (options: ChangeOptions & { readonly name: string }) => {
      const input = { name: options.name };
      const { id, name } = await changeIn(io, options, (work) => changeCompany(work, input));
      printResult(io, options, { id, name }, [`"${options.company}" is now "${name}".`]);
    });
  addChangeCommand(company, 'time-zone', 'set the time zone in which terminals of a company show times')
    .requiredOption('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo')
    .action(async (options: ChangeOptions & { readonly timeZone: string }) => {
      const input = { timeZone: options.timeZone };
      const changed = await changeIn(io, options, (work) => changeCompany(work, input));
      const line = `Terminals of "${changed.name}" show times of ${changed.timeZone}.`;
      printResult(io, options, fieldsOf(changed), [line]);
    });
}

async function list(io: CommandIo, options: JsonOption): Promise<void> {
  const companies = await withDatabase(io, ({ units }) => units.systemRead(listCompanies));
  const rows = companies.map((each) => [String(each.id), each.name, each.timeZone, String(each.members)]);
  const lines = [table(['ID', 'NAME', 'TIME ZONE', 'MEMBERS'], rows)];
  printResult(io, options, companies.map(fieldsOf), lines);
}
