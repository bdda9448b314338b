import type { Command } from 'commander';

import type { CompanySummary } from '../../domain/people/company/company.model.js';
import { changeCompany, listCompanies } from '../../domain/people/company/company.service.js';
import { withActor, withDatabase, writeIn, type ActorOptions } from '../command-context.js';
import { addJsonCommand, printResult, table, type CommandIo, type JsonOption } from '../command-io.js';

export function addCompanyCommands(company: Command, io: CommandIo): void {
  addJsonCommand(company, 'list', 'list all companies').action((options: JsonOption) => list(io, options));
  withActor(addJsonCommand(company, 'rename', 'rename a company'))
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--name <name>', 'its new name')
    .action((options: RenameOptions) => rename(io, options));
  withActor(
    addJsonCommand(company, 'time-zone', 'set the time zone in which terminals of a company show times'),
  )
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo')
    .action((options: TimeZoneOptions) => setTimeZone(io, options));
}

interface RenameOptions extends JsonOption, ActorOptions {
  readonly name: string;
}

interface TimeZoneOptions extends JsonOption, ActorOptions {
  readonly timeZone: string;
}

async function list(io: CommandIo, options: JsonOption): Promise<void> {
  const companies = await withDatabase(io, ({ units }) => units.systemRead(listCompanies));
  const rows = companies.map(({ id, name, timeZone, members }) => [
    String(id),
    name,
    timeZone,
    String(members),
  ]);
  printResult(io, options, companies.map(companyFields), [
    table(['ID', 'NAME', 'TIME ZONE', 'MEMBERS'], rows),
  ]);
}

function companyFields({ id, name, timeZone, members, createdAt }: CompanySummary) {
  return { id, name, time_zone: timeZone, members, created_at: createdAt };
}

async function rename(io: CommandIo, options: RenameOptions): Promise<void> {
  const { id, name } = await withDatabase(io, (context) =>
    writeIn(context, options, (work) => changeCompany(work, { name: options.name })),
  );
  printResult(io, options, { id, name }, [`"${options.company}" is now "${name}".`]);
}

async function setTimeZone(io: CommandIo, options: TimeZoneOptions): Promise<void> {
  const { id, name, timeZone } = await withDatabase(io, (context) =>
    writeIn(context, options, (work) => changeCompany(work, { timeZone: options.timeZone })),
  );
  const line = `Terminals of "${name}" show times of ${timeZone}.`;
  printResult(io, options, { id, name, time_zone: timeZone }, [line]);
}
