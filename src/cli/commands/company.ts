import type { WriteWork } from '../../database/work.js';
import { changeCompany, listCompanies } from '../../domain/people/company/company.service.js';
import { addChange, fieldsOf, withDatabase, type ChangeOptions } from '../command-context.js';
import { table, type AddCommand, type CommandIo, type JsonOption, type Result } from '../command-io.js';

export function addCommands(add: AddCommand): void {
  add('list', 'list all companies', list);
  addChange(add, 'rename', 'rename a company', rename).requiredOption('--name <name>', 'its new name');
  addChange(
    add,
    'time-zone',
    'set the time zone in which terminals of a company show times',
    setTimeZone,
  ).requiredOption('--time-zone <zone>', 'IANA time zone, for example America/Sao_Paulo');
  addChange(
    add,
    'currency',
    'set the currency in which amounts of a company are shown',
    setCurrency,
  ).requiredOption('--currency <code>', 'ISO 4217 code, for example BRL');
}

async function list(_options: JsonOption, _argument: string, io: CommandIo): Promise<Result> {
  const companies = await withDatabase(io, ({ units }) => units.systemRead(listCompanies));
  const rows = companies.map((each) => [
    each.id,
    each.name,
    each.timeZone,
    each.currency ?? '',
    each.members,
  ]);
  const headings = ['ID', 'NAME', 'TIME ZONE', 'CURRENCY', 'MEMBERS'];
  return { value: companies.map(fieldsOf), lines: [table(headings, rows)] };
}

async function rename(work: WriteWork, options: ChangeOptions & { readonly name: string }): Promise<Result> {
  const { id, name } = await changeCompany(work, { name: options.name });
  return { value: { id, name }, lines: [`"${options.company}" is now "${name}".`] };
}

async function setTimeZone(work: WriteWork, { timeZone }: ChangeOptions & { readonly timeZone: string }) {
  const changed = await changeCompany(work, { timeZone });
  const line = `Terminals of "${changed.name}" show times of ${changed.timeZone}.`;
  return { value: fieldsOf(changed), lines: [line] };
}

async function setCurrency(work: WriteWork, { currency }: ChangeOptions & { readonly currency: string }) {
  const changed = await changeCompany(work, { currency });
  const line = `Amounts of "${changed.name}" are in ${changed.currency}.`;
  return { value: fieldsOf(changed), lines: [line] };
}
