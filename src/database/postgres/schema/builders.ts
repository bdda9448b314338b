/** Text that is compared and ordered by its bytes, as on SQLite. */
export const TEXT = 'text collate "C"';

/** Columns of a record that show who created it and when it changed. */
export const AUDITED = `
  revision bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by bigint references users (id),
  created_via ${TEXT} not null`;

/**
 * A table with the primary key (company_id, id); the program draws the ids. `lines` are columns and
 * constraints.
 */
export function companyTable(name: string, ...lines: string[]): string {
  return `create table ${name} (
    id bigint not null,
    company_id bigint not null references companies (id),
    ${lines.join(',\n')},
    constraint ${name}_of_company primary key (company_id, id))`;
}

/** A foreign key on (company_id, column), so that a row cannot refer to a record of another company. */
export function inCompany(column: string, target: string, onDelete = 'no action'): string {
  return `constraint ${column}_in_company foreign key (company_id, ${column})
    references ${target} (company_id, id) on delete ${onDelete}`;
}

/** An index on (company_id, ...columns) for lists of a company. */
export function index(table: string, ...columns: string[]): string {
  return `create index ${table}_by_${columns.join('_')} on ${table} (company_id, ${columns.join(', ')})`;
}

/** Indexes for the orders that all lists of records have. */
export function auditedIndexes(table: string): readonly string[] {
  return [index(table, 'created_at', 'id'), index(table, 'updated_at', 'id')];
}
