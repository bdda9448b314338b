import type { Command } from 'commander';

import type { CompanySummary } from '../../resources/company/company.model.js';
import { listCompanies, renameCompany } from '../../resources/company/company.service.js';
import { withActor, withDatabase, writeIn, type ActorOptions } from '../command-context.js';
import { addJsonCommand, printResult, table, type CommandIo, type JsonOption } from '../command-io.js';

export function addCompanyCommands(company: Command, io: CommandIo): void {
  addJsonCommand(company, 'list', 'list all companies').action((options: JsonOption) => list(io, options));
  withActor(addJsonCommand(company, 'rename', 'rename a company'))
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--name <name>', 'its new name')
    .action((options: RenameOptions) => rename(io, options));
}

interface RenameOptions extends JsonOption, ActorOptions {
  readonly name: string;
}

async function list(io: CommandIo, options: JsonOption): Promise<void> {
  const companies = await withDatabase(io, ({ units }) => units.systemRead(listCompanies));
  const rows = companies.map(({ id, name, members }) => [String(id), name, String(members)]);
  printResult(io, options, companies.map(companyFields), [table(['ID', 'NAME', 'MEMBERS'], rows)]);
}

function companyFields({ id, name, members, createdAt }: CompanySummary) {
  return { id, name, members, created_at: createdAt };
}

async function rename(io: CommandIo, options: RenameOptions): Promise<void> {
  const { id, name } = await withDatabase(io, (context) =>
    writeIn(context, options, (work) => renameCompany(work, { name: options.name })),
  );
  printResult(io, options, { id, name }, [`"${options.company}" is now "${name}".`]);
}
